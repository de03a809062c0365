# SPDX-License-Identifier: GPL-2.0-or-later
# The node side: credentials, HTTP, delivery of quotas, the node agent, the SPANK plugin's part of control groups. Tests
# that need a munged start one of their own.
if HAVE_TESTS
NODE_TEST_CPPFLAGS = $(GTEST_ONCE) $(SHIM_CPPFLAGS) $(GTEST_CFLAGS)
NODE_TEST_SUPPORT = tests/shim/support/libsupport.a
NODE_TEST_LIBS = $(NODE_TEST_SUPPORT) libagent.a libshimnet.a $(SHIM_LIBS) $(SPDLOG_LIBS) $(GTEST_LIBS) -lrapidcheck

EXTRA_LIBRARIES += tests/shim/support/libsupport.a
tests_shim_support_libsupport_a_CPPFLAGS = $(NODE_TEST_CPPFLAGS)
tests_shim_support_libsupport_a_SOURCES = \
	tests/shim/agent/fake_cgroups.h \
	tests/shim/agent/no_page_out.h \
	tests/shim/support/as_nobody.h \
	tests/shim/support/error_of.h \
	tests/shim/support/folder.h \
	tests/shim/support/munged.cc \
	tests/shim/support/munged.h \
	tests/shim/support/sack_server.cc \
	tests/shim/support/sack_server.h \
	tests/shim/quota/test_node.h

UNIT_TESTS += tests/node_tests
tests_node_tests_CPPFLAGS = $(NODE_TEST_CPPFLAGS)
tests_node_tests_LDADD = $(NODE_TEST_LIBS)
EXTRA_tests_node_tests_DEPENDENCIES = dfrsd$(EXEEXT)
tests_node_tests_SOURCES = \
	plugin/arena.c \
	plugin/arena.h \
	plugin/group_parts.c \
	plugin/group_parts.h \
	plugin/group_v1.c \
	plugin/group_v2.c \
	plugin/job_group.c \
	plugin/job_group.h \
	tests/plugin/arena_test.cc \
	tests/shim/agent/agent_test.cc \
	tests/shim/agent/cpu_max_test.cc \
	tests/shim/agent/job_groups_test.cc \
	tests/shim/agent/program_test.cc \
	tests/shim/agent/real_cgroup_test.cc \
	tests/shim/agent/real_cgroup2_test.cc \
	tests/shim/agent/slurm_groups_test.cc \
	tests/shim/agent/stop_guard_test.cc \
	tests/shim/agent/task_path_test.cc \
	tests/sanitizers.h \
	tests/shim/auth/authenticator_test.cc \
	tests/shim/auth/exchange.h \
	tests/shim/auth/session_test.cc \
	tests/shim/http/rate_limit_test.cc \
	tests/shim/quota/protocol_test.cc

# Those that start threads: built with ThreadSanitizer, too.
THREAD_TESTS += tests/node_thread_tests
tests_node_thread_tests_CPPFLAGS = $(NODE_TEST_CPPFLAGS)
tests_node_thread_tests_LDADD = $(NODE_TEST_LIBS)
tests_node_thread_tests_SOURCES = \
	plugin/group_parts.c \
	plugin/group_parts.h \
	plugin/group_v1.c \
	plugin/group_v2.c \
	plugin/job_group.c \
	plugin/job_group.h \
	tests/shim/agent/page_out_test.cc \
	tests/shim/agent/service_test.cc \
	tests/shim/auth/exchange.h \
	tests/shim/auth/sack_test.cc \
	tests/shim/http/http_test.cc \
	tests/plugin/job_group_test.cc \
	tests/shim/quota/http_node_agents_test.cc

# Checkpoints: the parts, and all of them with a script or the real criu.
UNIT_TESTS += tests/checkpoint_tests
tests_checkpoint_tests_CPPFLAGS = $(NODE_TEST_CPPFLAGS)
tests_checkpoint_tests_LDADD = libcheckpoint.a $(NODE_TEST_LIBS) $(ZSTD_LIBS)
EXTRA_tests_checkpoint_tests_DEPENDENCIES = dfrs-run$(EXEEXT) dfrs-keeper$(EXEEXT) dfrs-init$(EXEEXT)
tests_checkpoint_tests_SOURCES = \
	tests/shim/checkpoint/compressed_images_test.cc \
	tests/shim/checkpoint/criu_test.cc \
	tests/shim/checkpoint/dry_check_test.cc \
	tests/shim/checkpoint/image_store_test.cc \
	tests/shim/checkpoint/image_test.cc \
	tests/shim/checkpoint/keeper_files_test.cc \
	tests/shim/checkpoint/keeper_test.cc \
	tests/shim/checkpoint/keepers.h \
	tests/shim/checkpoint/own_mounts_test.cc \
	tests/shim/checkpoint/packed_image_test.cc \
	tests/shim/checkpoint/pre_dump_test.cc \
	tests/shim/checkpoint/real_criu_test.cc \
	tests/shim/checkpoint/virtual_node.h \
	tests/shim/support/error_of.h \
	tests/shim/support/folder.h
EXTRA_DIST += \
	tests/shim/checkpoint/programs/build.sh \
	tests/shim/checkpoint/programs/database.py \
	tests/shim/checkpoint/programs/fork_tree.py \
	tests/shim/checkpoint/programs/jobs.sh \
	tests/shim/checkpoint/programs/mapped.py \
	tests/shim/checkpoint/programs/numpy_sums.py \
	tests/shim/checkpoint/programs/openmp.c \
	tests/shim/checkpoint/programs/pipeline.sh \
	tests/shim/checkpoint/programs/threads.c \
	tests/shim/checkpoint/programs/timers.py

# By hand: what delivery to many nodes costs.
EXTRA_PROGRAMS += tests/bench/delivery_scale
tests_bench_delivery_scale_CPPFLAGS = $(NODE_TEST_CPPFLAGS)
tests_bench_delivery_scale_LDADD = $(NODE_TEST_SUPPORT) libshimnet.a $(SHIM_LIBS) $(GTEST_LIBS)
tests_bench_delivery_scale_SOURCES = tests/bench/delivery_scale.cc
# And what a node's agent does.
EXTRA_PROGRAMS += tests/bench/agent_bench
tests_bench_agent_bench_CPPFLAGS = $(NODE_TEST_CPPFLAGS)
tests_bench_agent_bench_LDADD = $(NODE_TEST_LIBS)
tests_bench_agent_bench_SOURCES = tests/bench/agent_bench.cc
endif
