# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks: measured, never asserted. `make bench` builds and runs them; docs/results/performance.md has the figures.
if HAVE_BENCHMARK
EXTRA_PROGRAMS += tests/bench/dfrs_bench
tests_bench_dfrs_bench_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(BENCHMARK_CFLAGS)
tests_bench_dfrs_bench_LDADD = $(SIM_LIBS) $(BENCHMARK_LIBS) -lbenchmark_main
tests_bench_dfrs_bench_SOURCES = \
	tests/bench/average_stretch_bench.cc \
	tests/bench/bound_bench.cc \
	tests/bench/policy_bench.cc \
	tests/bench/simulation_bench.cc \
	tests/bench/triage_bench.cc \
	tests/bench/workloads.h \
	tests/bench/yield_bench.cc

bench: tests/bench/dfrs_bench
	options='$(BENCH_OPTIONS)'; set -f; ./tests/bench/dfrs_bench $$options
else
bench:
	@echo 'make bench: Google Benchmark is missing; on Debian: apt-get install libbenchmark-dev' >&2; exit 1
endif
.PHONY: bench bench-explain bench-pages bench-slurmctld

# Timeline pages in headless Chromium: `make bench-pages` (needs Chromium with its driver, Selenium and HPC2N's log).
# PAGES=FOLDER keeps the pages.
bench-pages: dfrs-sim$(EXEEXT)
	DFRS_SIM=./dfrs-sim$(EXEEXT) $(srcdir)/tests/browser/bench_pages.py $(PAGES)

# What reasons cost that nobody asks for, in instructions: `make bench-explain` (needs Valgrind).
EXTRA_DIST += tests/bench/explain_cost.py tests/bench/measure.py
bench-explain: dfrs-sim$(EXEEXT)
	$(srcdir)/tests/bench/explain_cost.py

# slurmctld at a scale that no test machine has: `make bench-slurmctld` (needs Slurm installed, and root).
if BUILD_PLUGIN
EXTRA_PROGRAMS += tests/bench/fake_slurmd tests/bench/submit_jobs
tests_bench_fake_slurmd_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_bench_fake_slurmd_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(SLURM_LIBDIR)
tests_bench_fake_slurmd_LDADD = $(SLURM_LIBDIR)/libslurmfull.so $(PTHREAD_LIBS)
tests_bench_fake_slurmd_SOURCES = tests/bench/fake_slurmd.c plugin/compat.h
tests_bench_submit_jobs_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_bench_submit_jobs_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(SLURM_LIBDIR)
tests_bench_submit_jobs_LDADD = $(SLURM_LIBDIR)/libslurmfull.so $(PTHREAD_LIBS)
tests_bench_submit_jobs_SOURCES = tests/bench/submit_jobs.c

bench-slurmctld: all tests/bench/fake_slurmd tests/bench/submit_jobs
	options='$(BENCH_OPTIONS)'; set -f; DFRS_BUILD_DIR=$(abs_top_builddir) PYTHONPATH=$(abs_top_srcdir)/tests \
	  /usr/bin/python3 -B -m live.scale $$options
endif

# The controller's step on a large cluster; needs no benchmark library.
EXTRA_PROGRAMS += tests/bench/controller_bench
tests_bench_controller_bench_CPPFLAGS = $(AM_CPPFLAGS) $(SHIM_CPPFLAGS)
tests_bench_controller_bench_LDADD = libdfrs_control.a libtimeline.a libdfrs_record.a libdfrs_conf.a libshimnet.a libpolicy.a $(SHIM_LIBS)
tests_bench_controller_bench_SOURCES = \
	tests/bench/controller_bench.cc \
	tests/oracle/dice.h \
	tests/shim/fake_agents.h
