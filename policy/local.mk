# SPDX-License-Identifier: GPL-2.0-or-later
# The policy core: pure decisions. tests/policy/purity.sh checks on its symbols that it stays so.
include policy/registry.mk

noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = $(POLICY_FAMILIES) \
	policy/batch/availability_profile.cc \
	policy/batch/availability_profile.h \
	policy/batch/backfill.cc \
	policy/batch/backfill.h \
	policy/batch/conservative.cc \
	policy/batch/conservative.h \
	policy/batch/node_profile.cc \
	policy/batch/node_profile.h \
	policy/batch/planning_policy.h \
	policy/batch/planning_queue.cc \
	policy/batch/planning_queue.h \
	policy/batch/shared_nodes.h \
	policy/batch/whole_nodes.cc \
	policy/batch/whole_nodes.h \
	policy/core/algorithm.h \
	policy/core/audit.cc \
	policy/core/audit.h \
	policy/core/cluster_state.cc \
	policy/core/cluster_state.h \
	policy/core/compare.h \
	policy/core/decision.h \
	policy/core/each_node.h \
	policy/core/engine.cc \
	policy/core/engine.h \
	policy/core/engine_options.h \
	policy/core/error.h \
	policy/core/measured_need.h \
	policy/core/nearest_name.cc \
	policy/core/nearest_name.h \
	policy/core/node_lists.h \
	policy/core/node_set.h \
	policy/core/nodes_by_load.cc \
	policy/core/nodes_by_load.h \
	policy/core/policy.h \
	policy/core/registry.cc \
	policy/core/registry.h \
	policy/core/resources.h \
	policy/core/units.h \
	policy/core/view.h \
	policy/dynp/decider.cc \
	policy/dynp/decider.h \
	policy/dynp/dynp_policy.cc \
	policy/dynp/dynp_policy.h \
	policy/dynp/quality.cc \
	policy/dynp/quality.h \
	policy/ipdps2010/backoff.cc \
	policy/ipdps2010/backoff.h \
	policy/ipdps2010/greedy_policies.cc \
	policy/ipdps2010/greedy_policies.h \
	policy/ipdps2010/lowest_need.cc \
	policy/ipdps2010/lowest_need.h \
	policy/ipdps2010/lowest_stretch.cc \
	policy/ipdps2010/lowest_stretch.h \
	policy/ipdps2010/spare_cpu.cc \
	policy/ipdps2010/spare_cpu.h \
	policy/mcb8/fit_list.cc \
	policy/mcb8/fit_list.h \
	policy/mcb8/packer.cc \
	policy/mcb8/packer.h \
	policy/mcb8/remap_limit.h \
	policy/mcb8/repack.cc \
	policy/mcb8/repack.h \
	policy/rr7659/dfrs_policy.cc \
	policy/rr7659/dfrs_policy.h \
	policy/rr7659/greedy.cc \
	policy/rr7659/greedy.h \
	policy/rr7659/greedy_preempt.cc \
	policy/rr7659/greedy_preempt.h \
	policy/rr7659/priority.cc \
	policy/rr7659/priority.h \
	policy/triage/admission.cc \
	policy/triage/admission.h \
	policy/triage/call.h \
	policy/triage/harm_placer.cc \
	policy/triage/harm_placer.h \
	policy/triage/load_placer.h \
	policy/triage/local_moves.cc \
	policy/triage/local_moves.h \
	policy/triage/options.h \
	policy/triage/placer.h \
	policy/triage/residents.cc \
	policy/triage/residents.h \
	policy/triage/triage_policy.cc \
	policy/triage/triage_policy.h \
	policy/triage/urgency.h \
	policy/triage/victims.h \
	policy/triage/weight_watch.cc \
	policy/triage/weight_watch.h \
	policy/triage/weights.h \
	policy/triage/yields.cc \
	policy/triage/yields.h \
	policy/yield/average.cc \
	policy/yield/average.h \
	policy/yield/average_simplex.cc \
	policy/yield/average_simplex.h \
	policy/yield/changed_part.cc \
	policy/yield/changed_part.h \
	policy/yield/changes.cc \
	policy/yield/changes.h \
	policy/yield/level_queue.h \
	policy/yield/lp_solver.h \
	policy/yield/max_min.cc \
	policy/yield/max_min.h \
	policy/yield/rule.h \
	policy/yield/sharing.cc \
	policy/yield/sharing.h \
	policy/yield/stretch.cc \
	policy/yield/stretch.h \
	policy/yield/stretch_level.cc \
	policy/yield/stretch_level.h \
	policy/yield/tied_jobs.h \
	policy/yield/weighted_max_min.cc \
	policy/yield/weighted_max_min.h \
	policy/yield/working_basis.cc \
	policy/yield/working_basis.h

# registry.cc includes the registry as a table of names.
EXTRA_DIST += policy/core/registry_table.sh
CLEANFILES += policy/core/registry_table.h
policy/core/registry_table.h: policy/core/registry_table.sh Makefile $(POLICY_FAMILIES)
	$(AM_V_GEN)$(MKDIR_P) policy/core && $(SHELL) $(srcdir)/policy/core/registry_table.sh $(srcdir) $(POLICY_FAMILIES) > $@.tmp && mv -f $@.tmp $@
policy/core/registry.$(OBJEXT): policy/core/registry_table.h
