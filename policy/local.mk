# SPDX-License-Identifier: GPL-2.0-or-later
# The policy core: pure decisions. tests/policy/purity.sh checks on its symbols that it stays so.
include policy/registry.mk

noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = $(POLICY_FAMILIES) \
	policy/algorithm.h \
	policy/audit.cc \
	policy/audit.h \
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
	policy/batch/whole_nodes.cc \
	policy/batch/whole_nodes.h \
	policy/batch/shared_nodes.h \
	policy/cluster_state.cc \
	policy/cluster_state.h \
	policy/compare.h \
	policy/decision.h \
	policy/dfrs_policy.cc \
	policy/dfrs_policy.h \
	policy/dynp/decider.cc \
	policy/dynp/decider.h \
	policy/dynp/dynp_policy.cc \
	policy/dynp/dynp_policy.h \
	policy/dynp/quality.cc \
	policy/dynp/quality.h \
	policy/divisible/algorithm.cc \
	policy/divisible/algorithm.h \
	policy/divisible/deadlines.cc \
	policy/divisible/deadlines.h \
	policy/divisible/flow_solver.h \
	policy/divisible/list_rules.cc \
	policy/divisible/list_rules.h \
	policy/divisible/list_schedule.cc \
	policy/divisible/list_schedule.h \
	policy/divisible/mct.cc \
	policy/divisible/mct.h \
	policy/divisible/model.cc \
	policy/divisible/model.h \
	policy/divisible/optimal.cc \
	policy/divisible/optimal.h \
	policy/divisible/plan.cc \
	policy/divisible/plan.h \
	policy/engine.cc \
	policy/engine.h \
	policy/engine_options.h \
	policy/error.h \
	policy/gang/decision.h \
	policy/gang/dispatch.cc \
	policy/gang/dispatch.h \
	policy/gang/dispatcher.cc \
	policy/gang/dispatcher.h \
	policy/gang/machine_set.h \
	policy/gang/migration.cc \
	policy/gang/migration.h \
	policy/gang/options.cc \
	policy/gang/options.h \
	policy/gang/provisioning.h \
	policy/gang/schedule.cc \
	policy/gang/schedule.h \
	policy/gang/starvation.h \
	policy/gang/waiting_gang.h \
	policy/greedy.cc \
	policy/greedy.h \
	policy/greedy_preempt.cc \
	policy/greedy_preempt.h \
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
	policy/mcb8/packer.cc \
	policy/mcb8/packer.h \
	policy/mcb8/repack.cc \
	policy/mcb8/repack.h \
	policy/nearest_name.cc \
	policy/nearest_name.h \
	policy/node_lists.h \
	policy/node_set.h \
	policy/policy.h \
	policy/priority.cc \
	policy/priority.h \
	policy/registry.cc \
	policy/registry.h \
	policy/resources.h \
	policy/units.h \
	policy/view.h \
	policy/yield/average.cc \
	policy/yield/average.h \
	policy/yield/changed_part.cc \
	policy/yield/changed_part.h \
	policy/yield/changes.cc \
	policy/yield/changes.h \
	policy/yield/lp_solver.h \
	policy/yield/max_min.cc \
	policy/yield/max_min.h \
	policy/yield/rule.h \
	policy/yield/sharing.cc \
	policy/yield/sharing.h \
	policy/yield/stretch.cc \
	policy/yield/stretch.h \
	policy/yield/stretch_level.cc \
	policy/yield/stretch_level.h

# registry.cc includes the registry as a table of names.
EXTRA_DIST += policy/registry_table.sh
CLEANFILES += policy/registry_table.h
policy/registry_table.h: policy/registry_table.sh Makefile $(POLICY_FAMILIES)
	$(AM_V_GEN)$(MKDIR_P) policy && $(SHELL) $(srcdir)/policy/registry_table.sh $(srcdir) $(POLICY_FAMILIES) > $@.tmp && mv -f $@.tmp $@
policy/registry.$(OBJEXT): policy/registry_table.h
