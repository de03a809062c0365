# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of `make check`, for builds that need not run it all: `./quickstart check` runs every test under
# AddressSanitizer, and beside that what belongs to the programs as they are installed, and what threads can break.
if HAVE_TESTS
# What runs the installed programs, or reads their symbols, or takes minutes without optimisation.
OPTIMISED_PROGRAMS = tests/cli_tests tests/published_tests
OPTIMISED_TESTS = $(OPTIMISED_PROGRAMS) $(SCRIPT_TESTS)
# For a build with ThreadSanitizer.
THREAD_PROGRAMS = tests/thread_tests tests/node_thread_tests tests/shim_thread_tests

.PHONY: optimised-programs thread-programs check-optimised check-threads
optimised-programs: $(OPTIMISED_PROGRAMS)
thread-programs: $(THREAD_PROGRAMS)
check-optimised: optimised-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(OPTIMISED_TESTS)'
check-threads: thread-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(THREAD_PROGRAMS)'
endif
