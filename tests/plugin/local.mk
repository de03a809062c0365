# SPDX-License-Identifier: GPL-2.0-or-later
# What tests of the Slurm plugins load into slurmctld; the tests are in tests/live/.
if BUILD_PLUGIN
noinst_PROGRAMS += tests/plugin/sched_driver.so
tests_plugin_sched_driver_so_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_sched_driver_so_LDFLAGS = $(SLURM_PLUGIN_SO)
tests_plugin_sched_driver_so_LDADD = plugin/libdfrs_controller.so
tests_plugin_sched_driver_so_SOURCES = \
	plugin/compat.h \
	plugin/job_shape.c \
	plugin/job_shape.h \
	plugin/plugin_dir.h \
	plugin/stock_backfill.c \
	plugin/stock_backfill.h \
	tests/plugin/sched_driver.c

PLUGIN_TESTS = tests/plugin/job_records_test tests/plugin/job_shape_test tests/plugin/marks_test \
	tests/plugin/node_hints_test tests/plugin/pace_test tests/plugin/saving_test tests/plugin/slow_test \
	tests/plugin/usage_records_test
tests_plugin_job_records_test_SOURCES = \
	plugin/job_records.c \
	plugin/job_records.h \
	tests/plugin/job_records_test.c
tests_plugin_job_records_test_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_job_records_test_LDFLAGS =
tests_plugin_job_records_test_LDADD =
tests_plugin_job_shape_test_SOURCES = \
	plugin/job_shape.c \
	plugin/job_shape.h \
	tests/plugin/job_shape_test.c
tests_plugin_job_shape_test_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_job_shape_test_LDFLAGS =
tests_plugin_job_shape_test_LDADD =
tests_plugin_marks_test_SOURCES = tests/plugin/marks_test.c
tests_plugin_marks_test_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_marks_test_LDFLAGS =
tests_plugin_marks_test_LDADD =
tests_plugin_node_hints_test_SOURCES = \
	plugin/node_hints.c \
	plugin/node_hints.h \
	tests/plugin/node_hints_test.c
tests_plugin_node_hints_test_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_node_hints_test_LDFLAGS =
tests_plugin_node_hints_test_LDADD =
tests_plugin_pace_test_SOURCES = \
	plugin/pace.h \
	tests/plugin/pace_test.c
tests_plugin_pace_test_LDFLAGS =
tests_plugin_pace_test_LDADD = -lm
tests_plugin_saving_test_SOURCES = \
	plugin/pace.h \
	plugin/saving.c \
	plugin/saving.h \
	plugin/slow.h \
	tests/plugin/saving_test.c
tests_plugin_saving_test_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_saving_test_LDFLAGS =
tests_plugin_saving_test_LDADD = $(PTHREAD_LIBS)
tests_plugin_slow_test_SOURCES = \
	plugin/slow.h \
	tests/plugin/slow_test.c
tests_plugin_slow_test_LDFLAGS =
tests_plugin_slow_test_LDADD =
tests_plugin_usage_records_test_SOURCES = \
	plugin/usage_records.c \
	plugin/usage_records.h \
	tests/plugin/usage_records_test.c
tests_plugin_usage_records_test_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
tests_plugin_usage_records_test_LDFLAGS =
tests_plugin_usage_records_test_LDADD = -lm
endif
