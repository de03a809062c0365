# SPDX-License-Identifier: GPL-2.0-or-later
# Papers whose model is not that of the policy core: rules, host, command, reproduction and published figures together.
libstudies_a_SOURCES += \
	studies/divisible/host/generator.cc \
	studies/divisible/host/generator.h \
	studies/divisible/host/instance.cc \
	studies/divisible/host/instance.h \
	studies/divisible/host/instance_file.cc \
	studies/divisible/host/instance_file.h \
	studies/divisible/host/lemon_flow.cc \
	studies/divisible/host/lemon_flow.h \
	studies/divisible/host/simulation.cc \
	studies/divisible/host/simulation.h \
	studies/divisible/rr5724.cc \
	studies/divisible/rr5724.h \
	studies/divisible/rr5724_campaign.cc \
	studies/divisible/rr5724_campaign.h \
	studies/divisible/rr5724_published.cc \
	studies/divisible/rr5724_published.h \
	studies/divisible/rr5724_readings.cc \
	studies/divisible/rr5724_readings.h \
	studies/divisible/rules/algorithm.cc \
	studies/divisible/rules/algorithm.h \
	studies/divisible/rules/deadlines.cc \
	studies/divisible/rules/deadlines.h \
	studies/divisible/rules/flow_solver.h \
	studies/divisible/rules/list_rules.cc \
	studies/divisible/rules/list_rules.h \
	studies/divisible/rules/list_schedule.cc \
	studies/divisible/rules/list_schedule.h \
	studies/divisible/rules/mct.cc \
	studies/divisible/rules/mct.h \
	studies/divisible/rules/mct_div.cc \
	studies/divisible/rules/mct_div.h \
	studies/divisible/rules/model.cc \
	studies/divisible/rules/model.h \
	studies/divisible/rules/offline_edf.cc \
	studies/divisible/rules/offline_edf.h \
	studies/divisible/rules/optimal.cc \
	studies/divisible/rules/optimal.h \
	studies/divisible/rules/plan.cc \
	studies/divisible/rules/plan.h \
	studies/divisible/rules/readings.h \
	studies/gang/gang_cloud.cc \
	studies/gang/gang_cloud_published.cc \
	studies/gang/gang_cloud_published.h \
	studies/gang/gang_cloud_readings.cc \
	studies/gang/gang_cloud_readings.h \
	studies/gang/reading_fit.cc \
	studies/gang/reading_fit.h \
	studies/gang/host/elastic_simulation.cc \
	studies/gang/host/elastic_simulation.h \
	studies/gang/host/experiment.cc \
	studies/gang/host/experiment.h \
	studies/gang/host/gang_report.cc \
	studies/gang/host/gang_report.h \
	studies/gang/host/workload.cc \
	studies/gang/host/workload.h \
	studies/gang/rules/decision.h \
	studies/gang/rules/dispatch.cc \
	studies/gang/rules/dispatch.h \
	studies/gang/rules/dispatcher.cc \
	studies/gang/rules/dispatcher.h \
	studies/gang/rules/machine_set.h \
	studies/gang/rules/migration.cc \
	studies/gang/rules/migration.h \
	studies/gang/rules/options.cc \
	studies/gang/rules/options.h \
	studies/gang/rules/provisioning.h \
	studies/gang/rules/schedule.cc \
	studies/gang/rules/schedule.h \
	studies/gang/rules/starvation.h \
	studies/gang/rules/waiting_gang.h \
	studies/reproductions.cc \
	studies/study_origin.cc \
	studies/study_origin.h

# What dfrs-sim does with them: the program's lists of commands and reproductions are here, so that sim/ names no study.
dfrs_sim_SOURCES += \
	studies/cmd_list.cc \
	studies/commands.cc \
	studies/commands.h \
	studies/divisible/command.cc \
	studies/gang/command.cc
