# SPDX-License-Identifier: GPL-2.0-or-later
# The policy core: pure decisions. tests/policy/purity.sh checks on its symbols that it stays so.
noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = \
	policy/algorithm.cc \
	policy/algorithm.h \
	policy/audit.cc \
	policy/audit.h \
	policy/batch/backfill.cc \
	policy/batch/backfill.h \
	policy/batch/shared_nodes.cc \
	policy/batch/shared_nodes.h \
	policy/cluster_state.cc \
	policy/cluster_state.h \
	policy/compare.h \
	policy/decision.h \
	policy/dfrs_policy.cc \
	policy/dfrs_policy.h \
	policy/engine.cc \
	policy/engine.h \
	policy/error.h \
	policy/greedy.cc \
	policy/greedy.h \
	policy/greedy_preempt.cc \
	policy/greedy_preempt.h \
	policy/mcb8/packer.cc \
	policy/mcb8/packer.h \
	policy/mcb8/repack.cc \
	policy/mcb8/repack.h \
	policy/nearest_name.cc \
	policy/nearest_name.h \
	policy/node_set.h \
	policy/policy.h \
	policy/priority.cc \
	policy/priority.h \
	policy/resources.h \
	policy/units.h \
	policy/view.h \
	policy/yield/average.cc \
	policy/yield/average.h \
	policy/yield/lp_solver.h \
	policy/yield/max_min.cc \
	policy/yield/max_min.h \
	policy/yield/sharing.cc \
	policy/yield/sharing.h \
	policy/yield/stretch.cc \
	policy/yield/stretch.h
