# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_TESTS
UNIT_TESTS += tests/record_tests
tests_record_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_record_tests_LDADD = tests/oracle/liboracle.a $(TEST_LIBS)
tests_record_tests_SOURCES = \
	tests/record/pause_world_test.cc \
	tests/record/record_reader_test.cc \
	tests/record/recorder_test.cc \
	tests/record/replay_test.cc \
	tests/record/story/explain_test.cc \
	tests/record/swap_size_test.cc
endif
