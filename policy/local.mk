# SPDX-License-Identifier: GPL-2.0-or-later
# The policy core: pure decisions. tests/policy/purity.sh checks on its symbols that it stays so.
include policy/registry.mk

noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = $(POLICY_FAMILIES) \
	policy/algorithm.h \
	policy/audit.cc \
	policy/audit.h \
	policy/batch/backfill.cc \
	policy/batch/backfill.h \
	policy/cluster_state.cc \
	policy/cluster_state.h \
	policy/compare.h \
	policy/decision.h \
	policy/dfrs_policy.cc \
	policy/dfrs_policy.h \
	policy/engine.cc \
	policy/engine.h \
	policy/engine_options.h \
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
	policy/registry.cc \
	policy/registry.h \
	policy/resources.h \
	policy/triage/admission.cc \
	policy/triage/admission.h \
	policy/triage/harm_placer.cc \
	policy/triage/harm_placer.h \
	policy/triage/load_placer.h \
	policy/triage/local_moves.cc \
	policy/triage/local_moves.h \
	policy/triage/options.h \
	policy/triage/placer.h \
	policy/triage/triage_policy.cc \
	policy/triage/triage_policy.h \
	policy/triage/urgency.h \
	policy/triage/weights.h \
	policy/triage/yields.cc \
	policy/triage/yields.h \
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
	policy/yield/stretch.h \
	policy/yield/weighted_max_min.cc \
	policy/yield/weighted_max_min.h
# registry.cc includes the registry as a table of names.
EXTRA_DIST += policy/registry_table.sh
CLEANFILES += policy/registry_table.h
policy/registry_table.h: policy/registry_table.sh Makefile $(POLICY_FAMILIES)
	$(AM_V_GEN)$(MKDIR_P) policy && $(SHELL) $(srcdir)/policy/registry_table.sh $(srcdir) $(POLICY_FAMILIES) > $@.tmp && mv -f $@.tmp $@
policy/registry.$(OBJEXT): policy/registry_table.h
