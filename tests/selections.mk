# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of `make check`, for builds that need not run it all (`./quickstart check`): under AddressSanitizer all that links
# the code it tests, in the optimised build what runs programs as they are installed, under ThreadSanitizer what has
# threads. Together they are the whole.
.PHONY: optimised-programs plain-tests sanitized-programs thread-programs check-optimised check-sanitized check-threads check-selections
if HAVE_TESTS
# What runs the installed programs, or reads their symbols, or takes minutes without optimisation. The longest begin.
OPTIMISED_BINARIES = tests/cli_tests tests/published_tests
OPTIMISED_TESTS = $(OPTIMISED_BINARIES) $(SCRIPT_TESTS)
SANITIZED_BINARIES = tests/policy_tests tests/shim_tests tests/sim_tests tests/node_tests tests/node_thread_tests \
	tests/shim_thread_tests tests/record_tests tests/studies_tests tests/thread_tests tests/page_tests $(FUZZERS)
THREAD_BINARIES = tests/thread_tests tests/node_thread_tests tests/shim_thread_tests

optimised-programs: $(OPTIMISED_BINARIES)
sanitized-programs: $(SANITIZED_BINARIES)
thread-programs: $(THREAD_BINARIES)
# automake's check-TESTS builds all of check_PROGRAMS first.
ONLY = check-TESTS check_LIBRARIES= check_PROGRAMS=
check-optimised: optimised-programs check-selections
	$(MAKE) $(AM_MAKEFLAGS) $(ONLY)'$(OPTIMISED_BINARIES)' TESTS='$(OPTIMISED_TESTS)'
check-sanitized: sanitized-programs
	$(MAKE) $(AM_MAKEFLAGS) $(ONLY)'$(SANITIZED_BINARIES)' TESTS='$(SANITIZED_BINARIES)'
check-threads: thread-programs
	$(MAKE) $(AM_MAKEFLAGS) $(ONLY)'$(THREAD_BINARIES)' TESTS='$(THREAD_BINARIES)'

# A new test is in one of the first two parts, or this fails.
check-selections:
	@for test in $(TESTS); do \
	  case ' $(OPTIMISED_TESTS) $(SANITIZED_BINARIES) ' in *" $$test "*) ;; \
	  *) echo "$$test is in no part of tests/selections.mk" >&2; exit 1 ;; esac; done

# What nearly every test includes, compiled once: `make tests/precompiled.h.gch`, then
# CXXFLAGS='... -include tests/precompiled.h' with the same other flags. g++ passes over it where it does not fit.
PRECOMPILE = $(AM_V_GEN)$(MKDIR_P) tests && \
	$(CXX) $(DEFS) $(TEST_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS) -x c++-header -o
tests/precompiled.h.gch: tests/precompiled.h
	$(PRECOMPILE) $@ $(srcdir)/tests/precompiled.h
CLEANFILES += tests/precompiled.h.gch
EXTRA_DIST += tests/by_folder.h tests/by_folder.mk tests/precompiled.h
endif
