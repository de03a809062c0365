# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks: measured, never asserted. `make bench` builds and runs them; docs/performance.md has the figures.
if HAVE_BENCHMARK
EXTRA_PROGRAMS += tests/bench/dfrs_bench
tests_bench_dfrs_bench_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(BENCHMARK_CFLAGS)
tests_bench_dfrs_bench_LDADD = $(SIM_LIBS) $(BENCHMARK_LIBS) -lbenchmark_main
tests_bench_dfrs_bench_SOURCES = \
	tests/bench/bound_bench.cc \
	tests/bench/policy_bench.cc \
	tests/bench/simulation_bench.cc \
	tests/bench/workloads.h

bench: tests/bench/dfrs_bench
	./tests/bench/dfrs_bench $(BENCH_OPTIONS)
else
bench:
	@echo 'make bench: Google Benchmark is missing; on Debian: apt-get install libbenchmark-dev' >&2; exit 1
endif
.PHONY: bench
