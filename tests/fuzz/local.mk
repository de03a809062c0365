# SPDX-License-Identifier: GPL-2.0-or-later
# One program per input format: tests/fuzz/NAME_fuzz.cc with LLVMFuzzerTestOneInput, seeds in tests/fuzz/corpus/NAME/.
# Everywhere: linked with driver.cc, which runs the seeds and a fixed number of changed copies of them, as a test.
# With --enable-fuzzers: linked with libFuzzer; `make fuzz` runs each for FUZZ_SECONDS.
# To add one: its name in FUZZERS and the three lines for it.
FUZZ_SECONDS = 60
FUZZERS = \
	tests/fuzz/decompress_fuzz \
	tests/fuzz/swf_fuzz

if HAVE_TESTS
if ENABLE_FUZZERS
EXTRA_PROGRAMS += $(FUZZERS)
FUZZ_DRIVER =
else
check_PROGRAMS += $(FUZZERS)
TESTS += $(FUZZERS)
FUZZ_DRIVER = tests/fuzz/driver.cc
endif
endif
FUZZ_LINK = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)

tests_fuzz_decompress_fuzz_CPPFLAGS = $(TEST_CPPFLAGS)
tests_fuzz_decompress_fuzz_LDADD = $(TEST_LIBS)
tests_fuzz_decompress_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_decompress_fuzz_SOURCES = $(FUZZ_DRIVER) tests/fuzz/decompress_fuzz.cc

tests_fuzz_swf_fuzz_CPPFLAGS = $(TEST_CPPFLAGS)
tests_fuzz_swf_fuzz_LDADD = $(TEST_LIBS)
tests_fuzz_swf_fuzz_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_swf_fuzz_SOURCES = $(FUZZ_DRIVER) tests/fuzz/swf_fuzz.cc

EXTRA_DIST += tests/fuzz/corpus

# New inputs found go to the build tree; copy the ones worth keeping to tests/fuzz/corpus.
fuzz: $(FUZZERS)
	@test -n '$(FUZZ_LDFLAGS)' || { echo 'make fuzz: needs ./configure --enable-fuzzers CXX=clang++' >&2; exit 1; }
	@set -e; for fuzzer in $(FUZZERS); do \
	  name=$${fuzzer##*/}; name=$${name%_fuzz}; \
	  mkdir -p fuzz-found/$$name; \
	  echo "== $$fuzzer, $(FUZZ_SECONDS) s"; \
	  ./$$fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 \
	    fuzz-found/$$name $(srcdir)/tests/fuzz/corpus/$$name; \
	done
.PHONY: fuzz
