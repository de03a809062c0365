# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of `make check`, for builds that need not run it all: `./quickstart check` runs every test under
# AddressSanitizer, and beside that what belongs to the programs as they are installed, and what threads can break.
.PHONY: optimised-programs thread-programs check-optimised check-threads
if HAVE_TESTS
# What runs the installed programs, or reads their symbols, or takes minutes without optimisation.
OPTIMISED_BINARIES = tests/cli_tests tests/published_tests
OPTIMISED_TESTS = $(OPTIMISED_BINARIES) $(SCRIPT_TESTS)
# For a build with ThreadSanitizer.
THREAD_BINARIES = tests/thread_tests tests/node_thread_tests tests/shim_thread_tests

optimised-programs: $(OPTIMISED_BINARIES)
thread-programs: $(THREAD_BINARIES)
check-optimised: optimised-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(OPTIMISED_TESTS)'
check-threads: thread-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(THREAD_BINARIES)'
endif
