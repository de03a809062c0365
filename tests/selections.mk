# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of `make check`, for builds that need not run it all: `./quickstart check` runs every test under
# AddressSanitizer, and beside that what belongs to the programs as they are installed, and what threads can break.
if HAVE_TESTS
# What runs the installed programs, or reads their symbols, or takes minutes without optimisation.
optimised_programs = tests/cli_tests tests/published_tests
optimised_tests = $(optimised_programs) $(SCRIPT_TESTS)
# For a build with ThreadSanitizer.
thread_programs = tests/thread_tests tests/node_thread_tests tests/shim_thread_tests

optimised-programs: $(optimised_programs)
thread-programs: $(thread_programs)
check-optimised: optimised-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(optimised_tests)'
check-threads: thread-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(thread_programs)'
endif
