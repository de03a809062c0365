# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_TESTS
TEST_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) $(MHD_CFLAGS) $(FMT_CFLAGS)
TEST_LIBS = $(SIM_LIBS) $(GTEST_LIBS) $(MHD_LIBS) -lrapidcheck

# One GoogleTest program per folder of the source tree. Add a file to its list, nothing else.
check_PROGRAMS += tests/policy_tests tests/sim_tests
TESTS += tests/policy_tests tests/sim_tests

tests_policy_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_policy_tests_LDADD = $(TEST_LIBS)
tests_policy_tests_SOURCES =

tests_sim_tests_CPPFLAGS = $(TEST_CPPFLAGS)
tests_sim_tests_LDADD = $(TEST_LIBS)
tests_sim_tests_SOURCES =
endif
