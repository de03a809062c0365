# SPDX-License-Identifier: GPL-2.0-or-later
# Everything of dfrs-sim but main(), so that tests link the same objects.
noinst_LIBRARIES += libsim.a
libsim_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(ARCHIVE_CFLAGS) $(CURL_CFLAGS) $(NETTLE_CFLAGS) $(ZLIB_CFLAGS)
libsim_a_SOURCES = \
	sim/bound/bound.cc \
	sim/bound/bound.h \
	sim/bound/bound_job.cc \
	sim/bound/bound_job.h \
	sim/bound/congestion.cc \
	sim/bound/congestion.h \
	sim/bound/divisible.cc \
	sim/bound/divisible.h \
	sim/bound/edf.cc \
	sim/bound/edf.h \
	sim/bound/interval_schedule.cc \
	sim/bound/interval_schedule.h \
	sim/bound/ls1.cc \
	sim/bound/ls1.h \
	sim/bound/rate_limited_set.cc \
	sim/bound/rate_limited_set.h \
	sim/campaign/campaign.cc \
	sim/campaign/campaign.h \
	sim/campaign/parallel.cc \
	sim/campaign/parallel.h \
	sim/campaign/results.cc \
	sim/campaign/results.h \
	sim/completion_queue.cc \
	sim/completion_queue.h \
	sim/errors.h \
	sim/fetch/cache.cc \
	sim/fetch/cache.h \
	sim/fetch/catalogue.cc \
	sim/fetch/catalogue.h \
	sim/fetch/http.cc \
	sim/fetch/http.h \
	sim/fetch/sha256.cc \
	sim/fetch/sha256.h \
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
	sim/reproduce/choice.cc \
	sim/reproduce/comparison_table.cc \
	sim/reproduce/comparison_table.h \
	sim/reproduce/logs.cc \
	sim/reproduce/plots.cc \
	sim/reproduce/render.cc \
	sim/reproduce/render.h \
	sim/reproduce/render_html.cc \
	sim/reproduce/reproduction.h \
	sim/reproduce/reproductions.cc \
	sim/report/charts.cc \
	sim/report/charts.h \
	sim/report/gnuplot.cc \
	sim/report/gnuplot.h \
	sim/report/html.cc \
	sim/report/html.h \
	sim/report/html_style.h \
	sim/report/summary.cc \
	sim/report/summary.h \
	sim/report/svg.cc \
	sim/report/svg.h \
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
	sim/step_log.cc \
	sim/step_log.h \
	sim/step_recorder.cc \
	sim/step_recorder.h \
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
	sim/workload/recorded.cc \
	sim/workload/recorded.h \
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
SIM_LIBS = libsim.a libdfrs_record.a libpolicy.a $(FMT_LIBS) $(ARCHIVE_LIBS) $(CURL_LIBS) $(NETTLE_LIBS) $(ZLIB_LIBS) $(GLPK_LIBS) $(PTHREAD_LIBS)

bin_PROGRAMS += dfrs-sim
dfrs_sim_CPPFLAGS = $(libsim_a_CPPFLAGS)
dfrs_sim_LDADD = $(SIM_LIBS)
dfrs_sim_SOURCES = \
	sim/cli/campaign_command.cc \
	sim/cli/campaign_command.h \
	sim/cli/cmd_annotate.cc \
	sim/cli/cmd_bound.cc \
	sim/cli/cmd_compare.cc \
	sim/cli/cmd_demo.cc \
	sim/cli/cmd_fetch.cc \
	sim/cli/cmd_generate.cc \
	sim/cli/cmd_list.cc \
	sim/cli/cmd_replay.cc \
	sim/cli/cmd_report.cc \
	sim/cli/cmd_reproduce.cc \
	sim/cli/cmd_run.cc \
	sim/cli/command.h \
	sim/cli/main.cc \
	sim/cli/options.cc \
	sim/cli/options.h
