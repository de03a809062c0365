# SPDX-License-Identifier: GPL-2.0-or-later
# The policy core: pure decisions. tests/policy/purity checks on its symbols that it stays so.
noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = \
	policy/compare.h \
	policy/resources.h \
	policy/units.h
