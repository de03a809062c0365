# SPDX-License-Identifier: GPL-2.0-or-later
# The tests by where they run, and goals of make for each kind: check-units runs what build-units builds, and so on.
# `make check` and check-tests run them all.
#   UNIT_TESTS     units      GoogleTest programs and fuzzers, with the code that they test linked in
#   THREAD_TESTS   threads    GoogleTest programs that start threads
#   PROGRAM_TESTS  programs   GoogleTest programs that run the built programs, or take minutes without optimisation
#   SCRIPT_TESTS
SCRIPT_TESTS = \
	$(PAGE_TESTS) \
	tests/build/packages.sh \
	tests/cli/accounting_sample.py \
	tests/plugin/configure.sh \
	tests/cli/exit_codes.sh \
	$(DOCS_TESTS) \
	tests/duplicate_symbols.sh \
	tests/function_lengths.py \
	tests/includes.py \
	tests/plugin/install.sh \
	tests/policy/purity.sh \
	tests/policy/purity_selftest.sh \
	tests/published/second_test.py
# In headless Chromium.
PAGE_TESTS = \
	tests/browser/live_page_test.py \
	tests/browser/reports_test.py \
	tests/browser/timeline_jobs_test.py \
	tests/browser/timeline_picture_test.py \
	tests/browser/timeline_view_test.py
dist_check_SCRIPTS = $(SCRIPT_TESTS)
EXTRA_DIST += tests/browser/bench_pages.py tests/browser/checks.py tests/browser/chromium.py tests/browser/drawing.py \
	tests/browser/live_page.py tests/browser/measure.py tests/browser/run_log.py tests/browser/sample_pages.py \
	tests/browser/shown_values.py tests/browser/timeline_page.py tests/cli/make_accounting.py \
	tests/published/rlscheduler.py tests/published/sc15.py tests/published/workloads.py
tests/cli/accounting_sample.log: dfrs-sim$(EXEEXT)
$(PAGE_TESTS:.py=.log): dfrs-sim$(EXEEXT)
tests/published/second_test.log: dfrs-sim$(EXEEXT)
TESTS = $(PROGRAM_TESTS) $(PLUGIN_TESTS) $(SCRIPT_TESTS) $(UNIT_TESTS) $(THREAD_TESTS)

# --enable-precompiled-headers: all objects of GoogleTest programs wait for this header.
EXTRA_DIST += tests/gtest_once.h
if PRECOMPILED_HEADERS
GTEST_ONCE = -include tests/gtest_once.h
tests/gtest_once.h.gch: $(srcdir)/tests/gtest_once.h
	$(AM_V_GEN)$(MKDIR_P) tests && $(PRECOMPILE) $(GTEST_CFLAGS) -o $@ $(srcdir)/tests/gtest_once.h
$(tests_base_tests_OBJECTS) $(tests_checkpoint_tests_OBJECTS) $(tests_cli_tests_OBJECTS) $(tests_node_tests_OBJECTS) \
$(tests_node_thread_tests_OBJECTS) $(tests_page_tests_OBJECTS) $(tests_policy_tests_OBJECTS) $(tests_published_tests_OBJECTS) \
$(tests_record_tests_OBJECTS) $(tests_shim_tests_OBJECTS) $(tests_shim_thread_tests_OBJECTS) $(tests_sim_tests_OBJECTS) \
$(tests_studies_tests_OBJECTS) $(tests_thread_tests_OBJECTS) $(tests_oracle_liboracle_a_OBJECTS) \
$(tests_shim_libfake_slurm_a_OBJECTS) $(tests_shim_support_libsupport_a_OBJECTS): tests/gtest_once.h.gch
CLEANFILES += tests/gtest_once.h.gch
endif

# Not check_PROGRAMS: make builds all of those for any of the goals. This way a test builds only its own program.
EXTRA_PROGRAMS += $(PROGRAM_TESTS) $(PLUGIN_TESTS) $(UNIT_TESTS) $(THREAD_TESTS)
CLEANFILES += $(PROGRAM_TESTS) $(PLUGIN_TESTS) $(UNIT_TESTS) $(THREAD_TESTS)

.PHONY: build-units build-threads build-programs build-tests build-everything
.PHONY: check-units check-threads check-programs check-tests
build-units: $(UNIT_TESTS) $(THREAD_TESTS)
build-threads: $(THREAD_TESTS)
build-programs: all-am $(PROGRAM_TESTS) $(PLUGIN_TESTS)
build-tests: build-units build-programs
# With the benchmarks.
build-everything: all-am $(EXTRA_PROGRAMS)

check-units: build-units
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(UNIT_TESTS) $(THREAD_TESTS)'
check-threads: build-threads
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(THREAD_TESTS)'
check-programs: build-programs
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(PROGRAM_TESTS) $(PLUGIN_TESTS) $(SCRIPT_TESTS)'
check-tests: build-tests
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS
