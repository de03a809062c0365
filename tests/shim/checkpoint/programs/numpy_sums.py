# SPDX-License-Identifier: GPL-2.0-or-later
"""A computation with numpy whose result any lost or repeated step changes."""
import numpy

state = numpy.arange(400 * 400, dtype=numpy.uint64).reshape(400, 400)
for step in range(120):
    state = (state @ state.T + step) % 1000003
    state += numpy.roll(state, step, axis=step % 2)
print("numpy", int(state.sum()), int(state[17, 23]))
