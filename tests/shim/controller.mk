# SPDX-License-Identifier: GPL-2.0-or-later
# The controller side of shim/. Add a file to the list, nothing else.
if HAVE_TESTS
# A slurmctld of tests with the sched plugin in it.
EXTRA_LIBRARIES += tests/shim/libfake_slurm.a
tests_shim_libfake_slurm_a_CPPFLAGS = $(TEST_CPPFLAGS) $(SHIM_CPPFLAGS)
tests_shim_libfake_slurm_a_SOURCES = \
	tests/shim/fake_agents.h \
	tests/shim/fake_slurm.cc \
	tests/shim/fake_slurm.h \
	tests/shim/fake_slurm/operations.cc \
	tests/shim/fake_slurm/progress.cc \
	tests/shim/fake_slurm/room.cc \
	tests/shim/fake_slurm/snapshot.cc \
	tests/shim/fake_slurm/users.cc \
	tests/shim/one_node.h

UNIT_TESTS += tests/shim_tests
tests_shim_tests_CPPFLAGS = $(TEST_CPPFLAGS) $(SHIM_CPPFLAGS)
tests_shim_tests_LDADD = tests/shim/libfake_slurm.a $(NODE_TEST_SUPPORT) tests/oracle/liboracle.a \
	libdfrsctl.a libdfrs_control.a libtimeline.a libdfrs_record.a libdfrs_conf.a libdfrs_gate.a \
	libshimnet.a $(TEST_LIBS) $(SHIM_LIBS)
EXTRA_tests_shim_tests_DEPENDENCIES = dfrs-check-config$(EXEEXT) dfrsctl$(EXEEXT)
tests_shim_tests_SOURCES = \
	tests/cli/process.cc \
	tests/cli/process.h \
	tests/shim/admin/control_server_test.cc \
	tests/shim/admin/controller_address_test.cc \
	tests/shim/admin/dfrsctl_test.cc \
	tests/shim/admin/history_json_test.cc \
	tests/shim/admin/host_control_test.cc \
	tests/shim/admin/sample_status.h \
	tests/shim/admin/tables_test.cc \
	tests/oracle/shrink_test.cc \
	tests/shim/c_abi.c \
	tests/shim/c_abi.h \
	tests/shim/c_abi_test.cc \
	tests/shim/conf/check_config_test.cc \
	tests/shim/conf/key_values_test.cc \
	tests/shim/conf/read_config_test.cc \
	tests/shim/conf/settings_test.cc \
	tests/shim/controller/checkpoints_test.cc \
	tests/shim/controller/cluster_history_test.cc \
	tests/shim/controller/comment_tag_test.cc \
	tests/shim/controller/cpu_needs_test.cc \
	tests/shim/controller/job_table_test.cc \
	tests/shim/controller/job_test.cc \
	tests/shim/controller/last_good_config_test.cc \
	tests/shim/controller/launch_test.cc \
	tests/shim/controller/limits_test.cc \
	tests/shim/controller/memory_ledger_test.cc \
	tests/shim/controller/node_list.h \
	tests/shim/controller/nodes_test.cc \
	tests/shim/controller/observer_test.cc \
	tests/shim/controller/offers_test.cc \
	tests/shim/controller/pause_costs_test.cc \
	tests/shim/controller/pausing_rules_test.cc \
	tests/shim/controller/quotas_test.cc \
	tests/shim/controller/random_load.cc \
	tests/shim/controller/random_load.h \
	tests/shim/controller/random_test.cc \
	tests/shim/controller/restart_test.cc \
	tests/shim/controller/rules_test.cc \
	tests/shim/controller/smoke_test.cc \
	tests/shim/controller/state_file_test.cc \
	tests/shim/controller/usage_test.cc \
	tests/shim/controller/weights_test.cc \
	tests/shim/gate_test.cc \
	tests/shim/web/feed_test.cc \
	tests/shim/web/live_schedule_test.cc \
	tests/shim/web/web_server_test.cc \
	tests/timeline/observed_test.cc

# Tests of the controller side that start threads of their own: all of it that ThreadSanitizer builds.
THREAD_TESTS += tests/shim_thread_tests
tests_shim_thread_tests_CPPFLAGS = $(TEST_CPPFLAGS) $(SHIM_CPPFLAGS)
tests_shim_thread_tests_LDADD = tests/shim/libfake_slurm.a libdfrs_control.a libtimeline.a libdfrs_record.a libdfrs_conf.a libshimnet.a libpolicy.a $(GTEST_LIBS) $(SHIM_LIBS) $(ARCHIVE_LIBS)
tests_shim_thread_tests_SOURCES = tests/shim/threads/inspection_threads_test.cc
endif
