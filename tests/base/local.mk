# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_TESTS
UNIT_TESTS += tests/base_tests
tests_base_tests_CPPFLAGS = $(GTEST_ONCE) $(AM_CPPFLAGS) $(GTEST_CFLAGS) $(FMT_CFLAGS)
tests_base_tests_LDADD = $(BASE_LIBS) $(GTEST_LIBS) $(PTHREAD_LIBS)
tests_base_tests_SOURCES = \
	tests/base/command_line_test.cc \
	tests/base/files_test.cc \
	tests/base/hmac_sha256_test.cc \
	tests/base/process_test.cc \
	tests/base/random_test.cc \
	tests/base/sha256_test.cc \
	tests/base/signals_test.cc \
	tests/base/text_table_test.cc \
	tests/base/utf8_test.cc
endif
