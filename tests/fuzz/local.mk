# SPDX-License-Identifier: GPL-2.0-or-later
# One program per input format: tests/fuzz/NAME_fuzz.cc with LLVMFuzzerTestOneInput, seeds in tests/fuzz/corpus/NAME/.
# Everywhere: linked with driver.cc, which runs the seeds and a fixed number of changed copies of them, as a test.
# With --enable-fuzzers: linked with libFuzzer; `make fuzz` runs each for FUZZ_SECONDS, or until FUZZ_RUNS inputs.
# To add one: its name in FUZZERS and three lines like the others'.
FUZZ_SECONDS = 60
FUZZ_RUNS = -1
FUZZERS = \
	tests/fuzz/algorithm_fuzz \
	tests/fuzz/compressed_fuzz \
	tests/fuzz/desired_fuzz \
	tests/fuzz/conf_fuzz \
	tests/fuzz/controller_fuzz \
	tests/fuzz/csv_fuzz \
	tests/fuzz/divisible_fuzz \
	tests/fuzz/record_fuzz \
	tests/fuzz/sacct_fuzz \
	tests/fuzz/swf_fuzz \
	tests/fuzz/trace_fuzz
EXTRA_DIST += tests/fuzz/corpus

if HAVE_TESTS
if ENABLE_FUZZERS
EXTRA_PROGRAMS += $(FUZZERS)
FUZZ_DRIVER =
else
UNIT_TESTS += $(FUZZERS)
FUZZ_DRIVER = tests/fuzz/driver.cc
endif
endif
FUZZ_LINK = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)

tests_fuzz_algorithm_fuzz_SOURCES = tests/fuzz/algorithm_fuzz.cc tests/fuzz/check.h $(FUZZ_DRIVER)
tests_fuzz_algorithm_fuzz_LDADD = libpolicy.a
tests_fuzz_algorithm_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_compressed_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/compressed_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_compressed_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_compressed_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_conf_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/conf_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_conf_fuzz_LDADD = libdfrs_conf.a libpolicy.a $(BASE_LIBS)
tests_fuzz_conf_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_controller_fuzz_CPPFLAGS = $(SHIM_CPPFLAGS)
tests_fuzz_controller_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/controller_cluster.cc tests/fuzz/controller_cluster.h \
	tests/fuzz/controller_fuzz.cc tests/shim/fake_agents.h $(FUZZ_DRIVER)
tests_fuzz_controller_fuzz_LDADD = libdfrs_control.a libtimeline.a libdfrs_record.a libdfrs_conf.a libshimnet.a libpolicy.a $(SHIM_LIBS)
tests_fuzz_controller_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_csv_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/csv_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_csv_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_csv_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_divisible_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/divisible_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_divisible_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_divisible_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_record_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/record_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_record_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_record_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_desired_fuzz_CPPFLAGS = $(SHIM_CPPFLAGS)
tests_fuzz_desired_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/desired_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_desired_fuzz_LDADD = libagent.a libshimnet.a $(SHIM_LIBS) $(SPDLOG_LIBS)
tests_fuzz_desired_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_sacct_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/sacct_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_sacct_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_sacct_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_swf_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/swf_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_swf_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_swf_fuzz_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_trace_fuzz_SOURCES = tests/fuzz/check.h tests/fuzz/trace_fuzz.cc $(FUZZ_DRIVER)
tests_fuzz_trace_fuzz_LDADD = $(SIM_LIBS)
tests_fuzz_trace_fuzz_LDFLAGS = $(FUZZ_LINK)

# New inputs found go to the build tree; copy the ones worth keeping to tests/fuzz/corpus.
fuzz: $(FUZZERS)
	@test -n '$(FUZZ_LDFLAGS)' || { echo 'make fuzz: needs ./configure --enable-fuzzers CXX=clang++' >&2; exit 1; }
	@set -e; for fuzzer in $(FUZZERS); do \
	  name=$${fuzzer##*/}; name=$${name%_fuzz}; \
	  mkdir -p fuzz-found/$$name; \
	  echo "== $$fuzzer, $(FUZZ_SECONDS) s"; \
	  ./$$fuzzer -max_total_time=$(FUZZ_SECONDS) -runs=$(FUZZ_RUNS) -timeout=10 -print_final_stats=1 \
	    fuzz-found/$$name $(srcdir)/tests/fuzz/corpus/$$name; \
	done
.PHONY: fuzz
