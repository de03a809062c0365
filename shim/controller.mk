# SPDX-License-Identifier: GPL-2.0-or-later

# dfrs.conf: what it says, its parser.
noinst_LIBRARIES += libdfrs_conf.a
libdfrs_conf_a_CPPFLAGS = $(SHIM_CPPFLAGS)
libdfrs_conf_a_SOURCES = \
	shim/conf/auth_choice.cc \
	shim/conf/auth_choice.h \
	shim/conf/config.cc \
	shim/conf/config.h \
	shim/conf/config_draft.cc \
	shim/conf/config_draft.h \
	shim/conf/config_error.h \
	shim/conf/key_values.cc \
	shim/conf/key_values.h \
	shim/conf/read_config.cc \
	shim/conf/read_config.h \
	shim/conf/settings.cc \
	shim/conf/settings.h \
	shim/conf/slurm_conf.cc \
	shim/conf/slurm_conf.h
EXTRA_DIST += etc/dfrs.conf.example

bin_PROGRAMS += dfrs-check-config
dfrs_check_config_CPPFLAGS = $(SHIM_CPPFLAGS)
dfrs_check_config_LDADD = libdfrs_conf.a libpolicy.a $(BASE_LIBS)
dfrs_check_config_SOURCES = shim/conf/check_config_main.cc

# The controller beside slurmctld: from Slurm's state and the policy's decisions to operations.
noinst_LIBRARIES += libdfrs_control.a
CONTROLLER_PARTS += libdfrs_control.a libdfrs_record.a libdfrs_conf.a libshimnet.a
libdfrs_control_a_CPPFLAGS = $(SHIM_CPPFLAGS)
libdfrs_control_a_SOURCES = \
	shim/admin/control_server.cc \
	shim/admin/control_server.h \
	shim/admin/history_json.cc \
	shim/admin/history_json.h \
	shim/admin/metrics.cc \
	shim/admin/metrics.h \
	shim/admin/status.cc \
	shim/admin/status.h \
	shim/admin/status_json.cc \
	shim/admin/status_json.h \
	shim/controller.h \
	shim/controller/abi.cc \
	shim/controller/abi.h \
	shim/controller/backoff.h \
	shim/controller/bounds.h \
	shim/controller/changes.h \
	shim/controller/checkpoint_orders.cc \
	shim/controller/checkpoint_orders.h \
	shim/controller/checkpoints.cc \
	shim/controller/checkpoints.h \
	shim/controller/clock.h \
	shim/controller/cluster_history.cc \
	shim/controller/cluster_history.h \
	shim/controller/comment_tag.cc \
	shim/controller/comment_tag.h \
	shim/controller/controller.cc \
	shim/controller/controller.h \
	shim/controller/cpu_needs.cc \
	shim/controller/cpu_needs.h \
	shim/controller/engine_driver.cc \
	shim/controller/engine_driver.h \
	shim/controller/explanation.cc \
	shim/controller/host.cc \
	shim/controller/host.h \
	shim/controller/identity.h \
	shim/controller/inspection.h \
	shim/controller/job.cc \
	shim/controller/job.h \
	shim/controller/job_attempts.h \
	shim/controller/job_checkpoint.h \
	shim/controller/job_facts.h \
	shim/controller/job_observation.cc \
	shim/controller/job_observation.h \
	shim/controller/job_pausing.h \
	shim/controller/job_plan.h \
	shim/controller/job_progress.h \
	shim/controller/job_table.cc \
	shim/controller/job_table.h \
	shim/controller/last_good_config.cc \
	shim/controller/last_good_config.h \
	shim/controller/lifecycle.cc \
	shim/controller/lifecycle.h \
	shim/controller/limits.cc \
	shim/controller/limits.h \
	shim/controller/log.h \
	shim/controller/memory_ledger.cc \
	shim/controller/memory_ledger.h \
	shim/controller/nodes.cc \
	shim/controller/nodes.h \
	shim/controller/observer.cc \
	shim/controller/observer.h \
	shim/controller/offers.cc \
	shim/controller/offers.h \
	shim/controller/operations.cc \
	shim/controller/operations.h \
	shim/controller/pause_costs.cc \
	shim/controller/pause_costs.h \
	shim/controller/pause_reasons.cc \
	shim/controller/pause_reasons.h \
	shim/controller/pause_rules.cc \
	shim/controller/pause_rules.h \
	shim/controller/policy_inputs.cc \
	shim/controller/policy_inputs.h \
	shim/controller/quota_link.cc \
	shim/controller/quota_link.h \
	shim/controller/quotas.cc \
	shim/controller/quotas.h \
	shim/controller/reconciler.cc \
	shim/controller/reconciler.h \
	shim/controller/repack.cc \
	shim/controller/results.cc \
	shim/controller/results.h \
	shim/controller/saved_state.cc \
	shim/controller/saved_state.h \
	shim/controller/situation.cc \
	shim/controller/situation.h \
	shim/controller/state_file.cc \
	shim/controller/state_file.h \
	shim/controller/state_keeper.cc \
	shim/controller/state_keeper.h \
	shim/controller/state_writer.cc \
	shim/controller/state_writer.h \
	shim/controller/status_report.cc \
	shim/controller/story_names.cc \
	shim/controller/story_names.h \
	shim/controller/synced_file.cc \
	shim/controller/synced_file.h \
	shim/controller/throttle.h \
	shim/controller/timing.h \
	shim/controller/usage.cc \
	shim/controller/usage.h \
	shim/controller/usage_ledger.cc \
	shim/controller/usage_ledger.h \
	shim/controller/view_builder.cc \
	shim/controller/view_builder.h \
	shim/controller/weights.cc \
	shim/controller/weights.h \
	shim/quota/node_agents.h \
	shim/usage.h

# What asks it; everything but main(), so that tests link the same objects.
noinst_LIBRARIES += libdfrsctl.a
libdfrsctl_a_CPPFLAGS = $(SHIM_CPPFLAGS)
libdfrsctl_a_SOURCES = \
	shim/admin/control_client.cc \
	shim/admin/control_client.h \
	shim/admin/controller_address.cc \
	shim/admin/controller_address.h \
	shim/admin/tables.cc \
	shim/admin/tables.h \
	shim/web/feed.cc \
	shim/web/feed.h \
	shim/web/live_schedule.cc \
	shim/web/live_schedule.h \
	shim/web/page.h \
	shim/web/web_command.cc \
	shim/web/web_command.h \
	shim/web/web_server.cc \
	shim/web/web_server.h
nodist_libdfrsctl_a_SOURCES = shim/web/page.cc

WEB_PAGE = shim/web/page/page.css shim/web/page/page.html shim/web/page/page.js
EXTRA_DIST += shim/web/embed.sh $(WEB_PAGE)
CLEANFILES += shim/web/page.cc
shim/web/page.cc: shim/web/embed.sh $(WEB_PAGE)
	$(AM_V_GEN)$(MKDIR_P) shim/web && $(SHELL) $(srcdir)/shim/web/embed.sh $(srcdir)/shim/web/page > $@.tmp && mv $@.tmp $@

bin_PROGRAMS += dfrsctl
dfrsctl_CPPFLAGS = $(SHIM_CPPFLAGS)
dfrsctl_LDADD = libdfrsctl.a libdfrs_control.a libtimeline.a libdfrs_record.a libdfrs_conf.a libshimnet.a libpolicy.a $(SHIM_LIBS) $(DEFLATE_LIBS) $(UTF8PROC_LIBS)
dfrsctl_SOURCES = shim/dfrsctl/main.cc
