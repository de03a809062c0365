# SPDX-License-Identifier: GPL-2.0-or-later
# Everything of dfrs-sim but main() and its commands, so that tests link the same objects: libsim.a simulates, libstudies.a
# is what is made of that: reports, reproductions, advice; and divisible load.
noinst_LIBRARIES += libsim.a libstudies.a
libsim_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(ARCHIVE_CFLAGS) $(CURL_CFLAGS) $(NETTLE_CFLAGS) $(SQLITE_CFLAGS) $(ZLIB_CFLAGS) \
	$(DEFLATE_CFLAGS)
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
	sim/campaign/degradation.cc \
	sim/campaign/degradation.h \
	sim/campaign/fingerprint.cc \
	sim/campaign/fingerprint.h \
	sim/campaign/origin.cc \
	sim/campaign/origin.h \
	sim/campaign/origin_json.h \
	sim/campaign/parallel.cc \
	sim/campaign/parallel.h \
	sim/campaign/results.cc \
	sim/campaign/results.h \
	sim/campaign/selection.cc \
	sim/campaign/selection.h \
	sim/campaign/slurm_array.cc \
	sim/campaign/slurm_array.h \
	sim/campaign/sqlite.cc \
	sim/campaign/sqlite.h \
	sim/campaign/store.cc \
	sim/campaign/store.h \
	sim/campaign/worker_slot.cc \
	sim/campaign/worker_slot.h \
	sim/errors.h \
	sim/fetch/cache.cc \
	sim/fetch/cache.h \
	sim/fetch/catalogue.cc \
	sim/fetch/catalogue.h \
	sim/host/completion_queue.cc \
	sim/host/completion_queue.h \
	sim/host/cpu_clock.h \
	sim/host/glpk_solver.cc \
	sim/host/glpk_solver.h \
	sim/host/idle_meter.h \
	sim/host/instance.cc \
	sim/host/instance.h \
	sim/host/job_slots.cc \
	sim/host/job_slots.h \
	sim/host/lost_work.cc \
	sim/host/lost_work.h \
	sim/host/need_discovery.cc \
	sim/host/need_discovery.h \
	sim/host/simulation.cc \
	sim/host/simulation.h \
	sim/host/stall_guard.cc \
	sim/host/stall_guard.h \
	sim/host/step_log.cc \
	sim/host/step_log.h \
	sim/host/step_recorder.cc \
	sim/host/step_recorder.h \
	sim/host/timeline.cc \
	sim/host/timeline.h \
	sim/io/allocation.cc \
	sim/io/allocation.h \
	sim/io/constant_columns.h \
	sim/io/csv_line.cc \
	sim/io/csv_line.h \
	sim/io/file_name.cc \
	sim/io/file_name.h \
	sim/io/http.cc \
	sim/io/http.h \
	sim/io/input_source.cc \
	sim/io/input_source.h \
	sim/io/output_file.cc \
	sim/io/output_file.h \
	sim/io/text.h \
	sim/io/unfinished_files.cc \
	sim/io/unfinished_files.h \
	sim/metrics/bootstrap.cc \
	sim/metrics/bootstrap.h \
	sim/metrics/confidence.cc \
	sim/metrics/confidence.h \
	sim/metrics/job_times.cc \
	sim/metrics/job_times.h \
	sim/metrics/metric_columns.cc \
	sim/metrics/metric_columns.h \
	sim/metrics/metrics.cc \
	sim/metrics/metrics.h \
	sim/metrics/schedule_metrics.cc \
	sim/metrics/schedule_metrics.h \
	sim/workload/csv/map.cc \
	sim/workload/csv/map.h \
	sim/workload/csv/shipped.cc \
	sim/workload/csv/shipped.h \
	sim/workload/csv/table.cc \
	sim/workload/csv/table.h \
	sim/workload/csv/values.cc \
	sim/workload/csv/values.h \
	sim/workload/fit.cc \
	sim/workload/fit.h \
	sim/workload/hpc2n.cc \
	sim/workload/hpc2n.h \
	sim/workload/job_matrix.cc \
	sim/workload/job_matrix.h \
	sim/workload/job_weights.cc \
	sim/workload/job_weights.h \
	sim/workload/load.cc \
	sim/workload/load.h \
	sim/workload/lublin.cc \
	sim/workload/lublin.h \
	sim/workload/memory_model.cc \
	sim/workload/memory_model.h \
	sim/workload/number_parser.h \
	sim/workload/random.cc \
	sim/workload/random.h \
	sim/workload/read_report.cc \
	sim/workload/read_report.h \
	sim/workload/recorded.cc \
	sim/workload/recorded.h \
	sim/workload/sacct/anonymise.cc \
	sim/workload/sacct/anonymise.h \
	sim/workload/sacct/fields.cc \
	sim/workload/sacct/fields.h \
	sim/workload/sacct/jobs.cc \
	sim/workload/sacct/jobs.h \
	sim/workload/sacct/machine.cc \
	sim/workload/sacct/machine.h \
	sim/workload/sacct/reader.cc \
	sim/workload/sacct/reader.h \
	sim/workload/sacct/table.cc \
	sim/workload/sacct/table.h \
	sim/workload/scale.cc \
	sim/workload/scale.h \
	sim/workload/spaced_fields.h \
	sim/workload/streit.cc \
	sim/workload/streit.h \
	sim/workload/swf.h \
	sim/workload/swf_anonymise.cc \
	sim/workload/swf_anonymise.h \
	sim/workload/swf_fields.cc \
	sim/workload/swf_fields.h \
	sim/workload/swf_instance.cc \
	sim/workload/swf_instance.h \
	sim/workload/swf_jobs.cc \
	sim/workload/swf_reader.cc \
	sim/workload/swf_stream.cc \
	sim/workload/swf_stream.h \
	sim/workload/swf_writer.cc \
	sim/workload/swf_writer.h \
	sim/workload/text_lines.cc \
	sim/workload/text_lines.h \
	sim/workload/trace_analysis.cc \
	sim/workload/trace_analysis.h \
	sim/workload/trace_file.cc \
	sim/workload/trace_file.h \
	sim/workload/weeks.cc \
	sim/workload/weeks.h \
	sim/workload/weibull.cc \
	sim/workload/weibull.h
# The mapping files of `dfrs-sim import csv` are part of the program; installed, they are examples for others.
mapsdir = $(pkgdatadir)/maps
dist_maps_DATA = \
	share/maps/alibaba2018.map \
	share/maps/fdata.map \
	share/maps/in2p3.map \
	share/maps/kestrel.map \
	share/maps/pm100.map
EXTRA_DIST += sim/workload/csv/shipped_maps.sh
CLEANFILES += sim/workload/csv/shipped_maps.h
sim/workload/csv/shipped_maps.h: sim/workload/csv/shipped_maps.sh Makefile $(dist_maps_DATA)
	$(AM_V_GEN)$(MKDIR_P) sim/workload/csv && $(SHELL) $(srcdir)/sim/workload/csv/shipped_maps.sh $(srcdir) \
	  $(dist_maps_DATA) > $@.tmp && mv -f $@.tmp $@
sim/workload/csv/libsim_a-shipped.$(OBJEXT): sim/workload/csv/shipped_maps.h
libstudies_a_CPPFLAGS = $(libsim_a_CPPFLAGS)
libstudies_a_SOURCES = \
	sim/advise/advice.cc \
	sim/advise/advice.h \
	sim/advise/charts.cc \
	sim/advise/charts.h \
	sim/advise/study.cc \
	sim/advise/study.h \
	sim/advise/worst_day.cc \
	sim/advise/worst_day.h \
	sim/report/charts.cc \
	sim/report/charts.h \
	sim/report/gnuplot.cc \
	sim/report/gnuplot.h \
	sim/report/html.cc \
	sim/report/html.h \
	sim/report/html_style.h \
	sim/report/markup.cc \
	sim/report/markup.h \
	sim/report/page.cc \
	sim/report/page.h \
	sim/report/summary.cc \
	sim/report/summary.h \
	sim/report/svg.cc \
	sim/report/svg.h \
	sim/report/table.cc \
	sim/report/table.h \
	sim/report/terms.cc \
	sim/report/terms.h \
	sim/report/verdict.cc \
	sim/report/verdict.h \
	sim/reproduce/account.cc \
	sim/reproduce/account.h \
	sim/reproduce/assumptions.cc \
	sim/reproduce/assumptions.h \
	sim/reproduce/campaign_plan.cc \
	sim/reproduce/campaign_plan.h \
	sim/reproduce/cell_count.cc \
	sim/reproduce/cell_count.h \
	sim/reproduce/choice.cc \
	sim/reproduce/comparison_table.cc \
	sim/reproduce/comparison_table.h \
	sim/reproduce/cost_counts.cc \
	sim/reproduce/cost_counts.h \
	sim/reproduce/dynp.cc \
	sim/reproduce/dynp_published.cc \
	sim/reproduce/dynp_published.h \
	sim/reproduce/ipdps2010.cc \
	sim/reproduce/ipdps2010_published.h \
	sim/reproduce/logs.cc \
	sim/reproduce/plots.cc \
	sim/reproduce/prediction_errors.cc \
	sim/reproduce/prediction_errors.h \
	sim/reproduce/render.cc \
	sim/reproduce/render.h \
	sim/reproduce/render_html.cc \
	sim/reproduce/reproduction.h \
	sim/reproduce/rivals/rivals.cc \
	sim/reproduce/rivals/rivals_list.h \
	sim/reproduce/rivals/rivals_sets.cc \
	sim/reproduce/rivals/rivals_sets.h \
	sim/reproduce/rr7659.cc \
	sim/reproduce/rr7659_assumptions.cc \
	sim/reproduce/rr7659_experiments.cc \
	sim/reproduce/rr7659_experiments.h \
	sim/reproduce/rr7659_figures.cc \
	sim/reproduce/rr7659_parts.h \
	sim/reproduce/rr7659_published.cc \
	sim/reproduce/rr7659_published.h \
	sim/reproduce/rr7659_tables.cc \
	sim/reproduce/sc15.cc \
	sim/reproduce/triage/figures.cc \
	sim/reproduce/triage/logs_part.cc \
	sim/reproduce/triage/losses.cc \
	sim/reproduce/triage/losses.h \
	sim/reproduce/triage/losses_part.cc \
	sim/reproduce/triage/lublin_part.cc \
	sim/reproduce/triage/parts.h \
	sim/reproduce/triage/robust_part.cc \
	sim/reproduce/triage/sensitivity_part.cc \
	sim/reproduce/triage/sets.cc \
	sim/reproduce/triage/sets.h \
	sim/reproduce/triage/study.cc \
	sim/reproduce/triage/study.h \
	sim/reproduce/triage/triage.cc \
	sim/reproduce/triage/weeks_part.cc \
	sim/reproduce/triage/worlds_part.cc \
	sim/timeline/collector.cc \
	sim/timeline/collector.h \
	sim/timeline/encode.cc \
	sim/timeline/encode.h \
	sim/timeline/export.cc \
	sim/timeline/export.h \
	sim/timeline/page.cc \
	sim/timeline/page.h \
	sim/timeline/page_files.h \
	sim/timeline/recorded.cc \
	sim/timeline/recorded.h \
	sim/timeline/schedule.h
# The page of timelines and its libraries, as strings.
nodist_libstudies_a_SOURCES = sim/timeline/page_files.cc
CLEANFILES += sim/timeline/page_files.cc
TIMELINE_FILES = \
	$(srcdir)/sim/timeline/lib/d3.min.js \
	$(srcdir)/sim/timeline/lib/uplot.min.css \
	$(srcdir)/sim/timeline/lib/uplot.min.js \
	$(srcdir)/sim/timeline/page/colours.js \
	$(srcdir)/sim/timeline/page/decode.js \
	$(srcdir)/sim/timeline/page/details.js \
	$(srcdir)/sim/timeline/page/main.js \
	$(srcdir)/sim/timeline/page/model.js \
	$(srcdir)/sim/timeline/page/nodes.js \
	$(srcdir)/sim/timeline/page/page.html \
	$(srcdir)/sim/timeline/page/panels.js \
	$(srcdir)/sim/timeline/page/style.css \
	$(srcdir)/sim/timeline/page/view.js
sim/timeline/page_files.cc: sim/timeline/embed.sh $(TIMELINE_FILES)
	$(AM_V_GEN)$(MKDIR_P) sim/timeline && sh $(srcdir)/sim/timeline/embed.sh $(srcdir)/sim/timeline > $@.tmp && mv $@.tmp $@
EXTRA_DIST += sim/timeline/embed.sh sim/timeline/lib sim/timeline/page
SIM_CORE_LIBS = libsim.a libdfrs_record.a libpolicy.a $(FMT_LIBS) $(ARCHIVE_LIBS) $(CURL_LIBS) $(NETTLE_LIBS) $(SQLITE_LIBS) \
	$(ZLIB_LIBS) $(DEFLATE_LIBS) $(GLPK_LIBS) $(BASE_LIBS) $(PTHREAD_LIBS)
SIM_LIBS = libstudies.a $(SIM_CORE_LIBS)

bin_PROGRAMS += dfrs-sim
dfrs_sim_CPPFLAGS = $(libsim_a_CPPFLAGS)
dfrs_sim_LDADD = $(SIM_LIBS)
dfrs_sim_SOURCES = \
	sim/cli/campaign_command.cc \
	sim/cli/campaign_command.h \
	sim/cli/cmd_advise.cc \
	sim/cli/cmd_analyse.cc \
	sim/cli/cmd_annotate.cc \
	sim/cli/cmd_bound.cc \
	sim/cli/cmd_compare.cc \
	sim/cli/cmd_demo.cc \
	sim/cli/cmd_fetch.cc \
	sim/cli/cmd_generate.cc \
	sim/cli/cmd_import.cc \
	sim/cli/cmd_replay.cc \
	sim/cli/cmd_report.cc \
	sim/cli/cmd_reproduce.cc \
	sim/cli/cmd_run.cc \
	sim/cli/command.h \
	sim/cli/explained_job.cc \
	sim/cli/explained_job.h \
	sim/cli/main.cc \
	sim/cli/options.cc \
	sim/cli/options.h \
	sim/cli/progress.cc \
	sim/cli/progress.h \
	sim/cli/slurm_campaign.cc \
	sim/cli/slurm_campaign.h
