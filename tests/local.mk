# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_TESTS
TEST_CPPFLAGS = $(GTEST_ONCE) $(AM_CPPFLAGS) $(GTEST_CFLAGS) $(MHD_CFLAGS) $(FMT_CFLAGS) $(ARCHIVE_CFLAGS)
TEST_LIBS = $(SIM_LIBS) $(GTEST_LIBS) $(GLPK_LIBS) $(MHD_LIBS) -lrapidcheck

# Plain reference implementations and checkers, written from the rules alone, that test programs compare with.
EXTRA_LIBRARIES += tests/oracle/liboracle.a
tests_oracle_liboracle_a_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_liboracle_a_SOURCES = \
	tests/oracle/decision_checker.cc \
	tests/oracle/decision_checker.h \
	tests/oracle/dice.h \
	tests/oracle/full_schedule.cc \
	tests/oracle/full_schedule.h \
	tests/oracle/greedy.cc \
	tests/oracle/greedy.h \
	tests/oracle/ipdps2010.cc \
	tests/oracle/ipdps2010.h \
	tests/oracle/learner.cc \
	tests/oracle/learner.h \
	tests/oracle/linear_program.cc \
	tests/oracle/linear_program.h \
	tests/oracle/lockstep.cc \
	tests/oracle/lockstep.h \
	tests/oracle/mcb8.cc \
	tests/oracle/mcb8.h \
	tests/oracle/pausing.cc \
	tests/oracle/pausing.h \
	tests/oracle/policy.cc \
	tests/oracle/policy.h \
	tests/oracle/predictions.cc \
	tests/oracle/predictions.h \
	tests/oracle/random_case.cc \
	tests/oracle/random_case.h \
	tests/oracle/random_instance.cc \
	tests/oracle/random_instance.h \
	tests/oracle/shared.cc \
	tests/oracle/shared.h \
	tests/oracle/shrink.h \
	tests/oracle/simulator.cc \
	tests/oracle/simulator.h \
	tests/oracle/triage.cc \
	tests/oracle/triage.h \
	tests/oracle/triage_admission.cc \
	tests/oracle/world.cc \
	tests/oracle/world.h \
	tests/oracle/yields.cc \
	tests/oracle/yields.h \
	tests/sanitizers.h

# One GoogleTest program per folder of the source tree. Add a file to its list, nothing else.
UNIT_TESTS += tests/policy_tests tests/sim_tests

tests_policy_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_policy_tests_LDADD = tests/oracle/liboracle.a $(TEST_LIBS)
tests_policy_tests_SOURCES = \
	tests/oracle/linear_program_test.cc \
	tests/policy/batch/availability_profile_test.cc \
	tests/policy/batch/conservative_test.cc \
	tests/policy/batch/node_profile_test.cc \
	tests/policy/batch/learner_test.cc \
	tests/policy/batch/predict_test.cc \
	tests/policy/core/algorithm_test.cc \
	tests/policy/core/audit_test.cc \
	tests/policy/core/cluster_state_test.cc \
	tests/policy/core/engine_cases_test.cc \
	tests/policy/core/engine_test.cc \
	tests/policy/core/explain_test.cc \
	tests/policy/core/free_memory_test.cc \
	tests/policy/core/measured_need_test.cc \
	tests/policy/core/refusals_test.cc \
	tests/policy/core/registry_test.cc \
	tests/policy/core/swap_budget_test.cc \
	tests/policy/core/test_host.h \
	tests/policy/dynp/decider_test.cc \
	tests/policy/ipdps2010/backoff_test.cc \
	tests/policy/ipdps2010/family_test.cc \
	tests/policy/ipdps2010/yields_test.cc \
	tests/policy/mcb8/fit_list_test.cc \
	tests/policy/mcb8/packer_test.cc \
	tests/policy/mcb8/priority_test.cc \
	tests/policy/mcb8/repack_test.cc \
	tests/policy/rr7659/greedy_pause_test.cc \
	tests/policy/rr7659/greedy_test.cc \
	tests/policy/rr7659/table5_names.h \
	tests/policy/triage/family_test.cc \
	tests/policy/triage/harm_placer_test.cc \
	tests/policy/triage/kind_numbers_test.cc \
	tests/policy/triage/lockstep_test.cc \
	tests/policy/triage/move_yields_test.cc \
	tests/policy/triage/own_room_test.cc \
	tests/policy/triage/parts_test.cc \
	tests/policy/triage/resident_losses_test.cc \
	tests/policy/triage/returns_test.cc \
	tests/policy/triage/room_count_test.cc \
	tests/policy/triage/victims_test.cc \
	tests/policy/triage/waiting_jobs_test.cc \
	tests/policy/triage/weighted_max_min_test.cc \
	tests/policy/yield/average_stretch_test.cc \
	tests/policy/yield/average_test.cc \
	tests/policy/yield/changed_part_test.cc \
	tests/policy/yield/level_queue_test.cc \
	tests/policy/yield/max_min_test.cc \
	tests/policy/yield/solve.h \
	tests/policy/yield/stretch_level_test.cc \
	tests/policy/yield/stretch_problem.h \
	tests/policy/yield/stretch_test.cc \
	tests/policy/yield/working_basis_test.cc

tests_sim_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_sim_tests_LDADD = tests/oracle/liboracle.a $(TEST_LIBS)
tests_sim_tests_SOURCES = \
	tests/policy/pausing/pausing_test.cc \
	tests/sim/advise/accounting_facts_test.cc \
	tests/sim/advise/study_test.cc \
	tests/sim/advise/worst_day_test.cc \
	tests/sim/bound/bound_test.cc \
	tests/sim/bound/congestion_test.cc \
	tests/sim/bound/deadline_flow.cc \
	tests/sim/bound/deadline_flow.h \
	tests/sim/bound/edf_test.cc \
	tests/sim/bound/gangs_test.cc \
	tests/sim/bound/interval_schedule_test.cc \
	tests/sim/bound/random_instance.h \
	tests/sim/bound/rate_limited_set_test.cc \
	tests/sim/bound/stretch_lp.cc \
	tests/sim/bound/stretch_lp.h \
	tests/sim/campaign/degradation_test.cc \
	tests/sim/campaign/results_test.cc \
	tests/sim/campaign/selection_test.cc \
	tests/sim/campaign/store_test.cc \
	tests/sim/failure_message.h \
	tests/sim/fetch/cache_test.cc \
	tests/sim/fetch/catalogue_test.cc \
	tests/sim/host/by_hand.h \
	tests/sim/host/completion_queue_test.cc \
	tests/sim/host/crowded.h \
	tests/sim/host/every_option_test.cc \
	tests/sim/host/held_devices_test.cc \
	tests/sim/host/ipdps2010_test.cc \
	tests/sim/host/licences_test.cc \
	tests/sim/host/lost_work_test.cc \
	tests/sim/host/needs_test.cc \
	tests/sim/host/options_test.cc \
	tests/sim/host/queue_rank_test.cc \
	tests/sim/host/serial_job.h \
	tests/sim/host/pile_up_test.cc \
	tests/sim/host/shared_nodes_test.cc \
	tests/sim/host/simulation_cases_test.cc \
	tests/sim/host/simulation_test.cc \
	tests/sim/host/suspension_test.cc \
	tests/sim/host/worlds_test.cc \
	tests/sim/host/young_runs_test.cc \
	tests/sim/io/compressed.h \
	tests/sim/io/csv_line_test.cc \
	tests/sim/io/http_test.cc \
	tests/sim/io/input_source_test.cc \
	tests/sim/io/output_file_test.cc \
	tests/sim/io/self_signed.h \
	tests/sim/io/web_server.cc \
	tests/sim/io/web_server.h \
	tests/sim/metrics/another_draw_test.cc \
	tests/sim/metrics/bootstrap_test.cc \
	tests/sim/metrics/by_trace_test.cc \
	tests/sim/metrics/confidence_test.cc \
	tests/sim/metrics/job_times_test.cc \
	tests/sim/metrics/metrics_test.cc \
	tests/sim/metrics/schedule_metrics_test.cc \
	tests/sim/report/gnuplot_test.cc \
	tests/sim/report/html_test.cc \
	tests/sim/report/markup_test.cc \
	tests/sim/report/page_test.cc \
	tests/sim/report/path.h \
	tests/sim/report/rows.h \
	tests/sim/report/summary_test.cc \
	tests/sim/report/table_test.cc \
	tests/sim/report/verdict_test.cc \
	tests/sim/reproduce/account_test.cc \
	tests/sim/reproduce/campaign_plan_test.cc \
	tests/sim/reproduce/cell_count_test.cc \
	tests/sim/reproduce/choice_test.cc \
	tests/sim/reproduce/comparison_table_test.cc \
	tests/sim/reproduce/cost_counts_test.cc \
	tests/sim/reproduce/logs_test.cc \
	tests/sim/reproduce/made_up.h \
	tests/sim/reproduce/overview_test.cc \
	tests/sim/reproduce/render_test.cc \
	tests/sim/reproduce/rr7659_test.cc \
	tests/sim/reproduce/triage_test.cc \
	tests/sim/temporary_folder.h \
	tests/sim/timeline/collector_test.cc \
	tests/sim/traces.h \
	tests/sim/workload/csv/map_test.cc \
	tests/sim/workload/csv/table_test.cc \
	tests/sim/workload/hpc2n_test.cc \
	tests/sim/workload/load_test.cc \
	tests/sim/workload/lublin_test.cc \
	tests/sim/workload/memory_model_test.cc \
	tests/sim/workload/number_parser_test.cc \
	tests/sim/workload/random_test.cc \
	tests/sim/workload/recorded_test.cc \
	tests/sim/workload/sacct/fields_test.cc \
	tests/sim/workload/sacct/jobs_test.cc \
	tests/sim/workload/sacct/licences_test.cc \
	tests/sim/workload/sacct/machine_test.cc \
	tests/sim/workload/sacct/reader_test.cc \
	tests/sim/workload/scale_test.cc \
	tests/sim/workload/spaced_fields_test.cc \
	tests/sim/workload/streit_test.cc \
	tests/sim/workload/swf_stream_test.cc \
	tests/sim/workload/swf_test.cc \
	tests/sim/workload/trace_file_test.cc \
	tests/sim/workload/weeks_test.cc

# examples/ as a contributor would follow docs/contributor-guide.md: the policy, its line in the registry and its test,
# with the rules that hold for every policy.
UNIT_TESTS += tests/page_tests
CLEANFILES += tests/docs/registry_table.h
EXAMPLE_POLICY = examples/shared_fcfs.cc
tests/docs/registry_table.h: policy/core/registry_table.sh Makefile $(POLICY_FAMILIES) $(EXAMPLE_POLICY)
	$(AM_V_GEN)$(MKDIR_P) tests/docs && $(SHELL) $(srcdir)/policy/core/registry_table.sh $(srcdir) $(POLICY_FAMILIES) \
	  $(EXAMPLE_POLICY) > $@.tmp && mv -f $@.tmp $@
tests_page_tests_CPPFLAGS = $(TEST_CPPFLAGS) -DDFRS_REGISTRY_TABLE='"tests/docs/registry_table.h"'
tests_page_tests_LDADD = $(TEST_LIBS)
tests_page_tests_SOURCES = \
	examples/shared_fcfs.cc \
	examples/shared_fcfs_test.cc \
	policy/core/registry.cc \
	tests/policy/core/registry_test.cc
policy/core/tests_page_tests-registry.$(OBJEXT): tests/docs/registry_table.h

# These run the built dfrs-sim, which AM_TESTS_ENVIRONMENT names, as a user would.
PROGRAM_TESTS += tests/cli_tests
EXTRA_DIST += tests/golden
tests_cli_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cli_tests_LDADD = $(TEST_LIBS)
EXTRA_tests_cli_tests_DEPENDENCIES = dfrs-sim$(EXEEXT)
tests_cli_tests_SOURCES = \
	tests/cli/accounting_test.cc \
	tests/cli/ca_file_test.cc \
	tests/cli/campaign_commands_test.cc \
	tests/cli/csv_test.cc \
	tests/cli/explain_test.cc \
	tests/cli/golden_test.cc \
	tests/cli/input_errors_test.cc \
	tests/cli/interrupted_test.cc \
	tests/cli/options_test.cc \
	tests/cli/origin_test.cc \
	tests/cli/output_errors_test.cc \
	tests/cli/paths_test.cc \
	tests/cli/process.cc \
	tests/cli/process.h \
	tests/cli/progress_test.cc \
	tests/cli/replay.cc \
	tests/cli/replay.h \
	tests/cli/replay_command_test.cc \
	tests/cli/reproduce_test.cc \
	tests/cli/run_test.cc \
	tests/cli/samples.h \
	tests/cli/slurm_test.cc \
	tests/cli/store_test.cc \
	tests/cli/usage_test.cc \
	tests/cli/workload_commands_test.cc \
	tests/sim/io/self_signed.h \
	tests/sim/io/web_server.cc \
	tests/sim/io/web_server.h

# Published experiments again, on whole logs: they need an optimised build and skip themselves in others.
PROGRAM_TESTS += tests/published_tests
tests_published_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_published_tests_LDADD = $(TEST_LIBS)
tests_published_tests_SOURCES = \
	tests/sanitizers.h \
	tests/sim/bound/deadline_flow.cc \
	tests/sim/bound/deadline_flow.h \
	tests/sim/bound/hpc2n_bounds_test.cc \
	tests/sim/campaign/published_test.cc \
	tests/sim/reproduce/dynp_test.cc \
	tests/sim/reproduce/ipdps2010_test.cc \
	tests/sim/traces.h

# Tests that start threads have a program of their own, for ThreadSanitizer.
THREAD_TESTS += tests/thread_tests
tests_thread_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_thread_tests_LDADD = $(SIM_LIBS) $(GTEST_LIBS)
tests_thread_tests_SOURCES = \
	tests/sim/campaign/campaign_test.cc \
	tests/sim/campaign/parallel_test.cc
endif
