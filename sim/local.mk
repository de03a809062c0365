# SPDX-License-Identifier: GPL-2.0-or-later
# Everything of dfrs-sim but main(), so that tests link the same objects.
noinst_LIBRARIES += libsim.a
libsim_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(ARCHIVE_CFLAGS) $(CURL_CFLAGS) $(NETTLE_CFLAGS) $(ZLIB_CFLAGS)
libsim_a_SOURCES = \
	sim/campaign/results.cc \
	sim/campaign/results.h \
	sim/completion_queue.cc \
	sim/completion_queue.h \
	sim/errors.h \
	sim/glpk_solver.cc \
	sim/glpk_solver.h \
	sim/instance.cc \
	sim/instance.h \
	sim/io/input_source.cc \
	sim/io/input_source.h \
	sim/io/output_file.cc \
	sim/io/output_file.h \
	sim/metrics.cc \
	sim/metrics.h \
	sim/report/charts.cc \
	sim/report/charts.h \
	sim/report/gnuplot.cc \
	sim/report/gnuplot.h \
	sim/report/html.cc \
	sim/report/html.h \
	sim/report/html_style.h \
	sim/report/summary.cc \
	sim/report/summary.h \
	sim/report/table.cc \
	sim/report/table.h \
	sim/report/terms.cc \
	sim/report/terms.h \
	sim/report/utf8.cc \
	sim/report/utf8.h \
	sim/report/verdict.cc \
	sim/report/verdict.h \
	sim/simulation.cc \
	sim/simulation.h \
	sim/workload/fit.cc \
	sim/workload/fit.h \
	sim/workload/hpc2n.cc \
	sim/workload/hpc2n.h \
	sim/workload/load.cc \
	sim/workload/load.h \
	sim/workload/lublin.cc \
	sim/workload/lublin.h \
	sim/workload/number_parser.h \
	sim/workload/random.cc \
	sim/workload/random.h \
	sim/workload/read_report.cc \
	sim/workload/read_report.h \
	sim/workload/scale.cc \
	sim/workload/scale.h \
	sim/workload/swf.h \
	sim/workload/swf_jobs.cc \
	sim/workload/swf_reader.cc \
	sim/workload/text_lines.cc \
	sim/workload/text_lines.h \
	sim/workload/trace_file.cc \
	sim/workload/trace_file.h \
	sim/workload/weeks.cc \
	sim/workload/weeks.h
SIM_LIBS = libsim.a libpolicy.a $(FMT_LIBS) $(ARCHIVE_LIBS) $(CURL_LIBS) $(NETTLE_LIBS) $(ZLIB_LIBS) $(GLPK_LIBS) $(PTHREAD_LIBS)
