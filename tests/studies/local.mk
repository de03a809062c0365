# SPDX-License-Identifier: GPL-2.0-or-later
# The studies, each with plain second implementations of its rules.
if HAVE_TESTS
UNIT_TESTS += tests/studies_tests
tests_studies_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_studies_tests_LDADD = tests/oracle/liboracle.a $(TEST_LIBS)
tests_studies_tests_SOURCES = \
	tests/studies/divisible/host/flow_test.cc \
	tests/studies/divisible/host/generator_test.cc \
	tests/studies/divisible/host/instance_file_test.cc \
	tests/studies/divisible/host/optimum_test.cc \
	tests/studies/divisible/host/random_instance.h \
	tests/studies/divisible/host/readings_test.cc \
	tests/studies/divisible/host/schedule_checker.cc \
	tests/studies/divisible/host/schedule_checker.h \
	tests/studies/divisible/host/schedules_test.cc \
	tests/studies/divisible/host/stretch_lp.cc \
	tests/studies/divisible/host/stretch_lp.h \
	tests/studies/divisible/rr5724_test.cc \
	tests/studies/divisible/rules/algorithm_test.cc \
	tests/studies/divisible/rules/plan_test.cc \
	tests/studies/gang/gang_cloud_readings_test.cc \
	tests/studies/gang/host/elastic_simulation_test.cc \
	tests/studies/gang/oracle/gang.cc \
	tests/studies/gang/oracle/gang.h \
	tests/studies/gang/oracle/gang_checker.cc \
	tests/studies/gang/oracle/gang_checker.h \
	tests/studies/gang/reading_fit_test.cc \
	tests/studies/gang/rules/dispatcher_test.cc \
	tests/studies/gang/rules/rules_test.cc

# What runs the program, what is published, and what starts threads belongs to the programs of these.
tests_cli_tests_SOURCES += \
	tests/studies/divisible/command_test.cc \
	tests/studies/gang/command_test.cc \
	tests/studies/origin_test.cc
tests_published_tests_SOURCES += \
	tests/studies/divisible/rr5724_cells_test.cc \
	tests/studies/gang/gang_cloud_test.cc
tests_thread_tests_SOURCES += \
	tests/studies/gang/host/experiment_test.cc
endif
