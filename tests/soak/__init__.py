# SPDX-License-Identifier: GPL-2.0-or-later
"""A compressed day of a cluster: users and administrators at work, faults, and a judge of what became of the jobs."""
import sys

sys.dont_write_bytecode = True
