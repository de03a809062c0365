# SPDX-License-Identifier: GPL-2.0-or-later
# What the two plugins in slurmctld share.
noinst_LIBRARIES += libdfrs_gate.a
CONTROLLER_PARTS += libdfrs_gate.a
libdfrs_gate_a_SOURCES = \
	shim/gate.cc \
	shim/gate.h
