# SPDX-License-Identifier: GPL-2.0-or-later
# Authenticated HTTP and what goes over it: used on both sides.
noinst_LIBRARIES += libshimnet.a
libshimnet_a_CPPFLAGS = $(SHIM_CPPFLAGS)
libshimnet_a_SOURCES = \
	shim/auth/authenticator.cc \
	shim/auth/authenticator.h \
	shim/auth/credentials.cc \
	shim/auth/credentials.h \
	shim/auth/munge.cc \
	shim/auth/munge.h \
	shim/auth/refusal.cc \
	shim/auth/refusal.h \
	shim/auth/sack.cc \
	shim/auth/sack.h \
	shim/auth/sack_token.cc \
	shim/auth/sack_token.h \
	shim/auth/seen_tokens.cc \
	shim/auth/seen_tokens.h \
	shim/auth/session.cc \
	shim/auth/session.h \
	shim/auth/user_id.cc \
	shim/auth/user_id.h \
	shim/http/client.cc \
	shim/http/client.h \
	shim/http/connections.cc \
	shim/http/connections.h \
	shim/http/prometheus.cc \
	shim/http/prometheus.h \
	shim/http/rate_limit.cc \
	shim/http/rate_limit.h \
	shim/http/server.cc \
	shim/http/server.h \
	shim/quota/http_node_agents.cc \
	shim/quota/http_node_agents.h \
	shim/quota/node_agents.h \
	shim/quota/protocol.cc \
	shim/quota/protocol.h

# The node agent: everything but main(), so that tests link the same objects.
noinst_LIBRARIES += libagent.a
libagent_a_CPPFLAGS = $(SHIM_CPPFLAGS) $(SPDLOG_CFLAGS)
libagent_a_SOURCES = \
	shim/agent/agent.cc \
	shim/agent/agent.h \
	shim/agent/cgroup/common.cc \
	shim/agent/cgroup/common.h \
	shim/agent/cgroup/job_groups.h \
	shim/agent/cgroup/kernel.cc \
	shim/agent/cgroup/kernel.h \
	shim/agent/cgroup/slurm_groups.cc \
	shim/agent/cgroup/slurm_groups.h \
	shim/agent/cgroup/task_path.c \
	shim/agent/cgroup/task_path.h \
	shim/agent/cgroup/v1.cc \
	shim/agent/cgroup/v2.cc \
	shim/agent/cpu_max.cc \
	shim/agent/cpu_max.h \
	shim/agent/log.cc \
	shim/agent/log.h \
	shim/agent/metrics.cc \
	shim/agent/metrics.h \
	shim/agent/page_out.cc \
	shim/agent/page_out.h \
	shim/agent/process.cc \
	shim/agent/process.h \
	shim/agent/run_folder.cc \
	shim/agent/run_folder.h \
	shim/agent/service.cc \
	shim/agent/service.h \
	shim/agent/stop_guard.cc \
	shim/agent/stop_guard.h

# Checkpoints: images, criu, the keepers of programs; and dfrsd's part in them.
noinst_LIBRARIES += libcheckpoint.a
libcheckpoint_a_CPPFLAGS = $(SHIM_CPPFLAGS) $(ZSTD_CFLAGS)
libcheckpoint_a_SOURCES = \
	shim/checkpoint/caller.cc \
	shim/checkpoint/caller.h \
	shim/checkpoint/checkpointer.cc \
	shim/checkpoint/checkpointer.h \
	shim/checkpoint/criu.cc \
	shim/checkpoint/criu.h \
	shim/checkpoint/dry_check.cc \
	shim/checkpoint/dry_check.h \
	shim/checkpoint/dump_place.cc \
	shim/checkpoint/dump_place.h \
	shim/checkpoint/image.cc \
	shim/checkpoint/image.h \
	shim/checkpoint/image_store.cc \
	shim/checkpoint/image_store.h \
	shim/checkpoint/keeper.cc \
	shim/checkpoint/keeper.h \
	shim/checkpoint/keeper_dump.cc \
	shim/checkpoint/keeper_files.cc \
	shim/checkpoint/keeper_files.h \
	shim/checkpoint/keeper_link.cc \
	shim/checkpoint/keeper_link.h \
	shim/checkpoint/keeper_restore.cc \
	shim/checkpoint/launch.cc \
	shim/checkpoint/launch.h \
	shim/checkpoint/launch_listener.cc \
	shim/checkpoint/launch_listener.h \
	shim/checkpoint/other_users.cc \
	shim/checkpoint/other_users.h \
	shim/checkpoint/packed_image.cc \
	shim/checkpoint/packed_image.h \
	shim/checkpoint/private_folder.cc \
	shim/checkpoint/private_folder.h \
	shim/checkpoint/process_tree.cc \
	shim/checkpoint/process_tree.h \
	shim/checkpoint/own_mounts.cc \
	shim/checkpoint/own_mounts.h \
	shim/checkpoint/start_program.cc \
	shim/checkpoint/start_program.h

# What dfrsd starts; users start dfrs-run.
helpersdir = $(libexecdir)/dfrs
helpers_PROGRAMS = dfrs-init dfrs-keeper
dfrs_init_SOURCES = shim/checkpoint/init.c
dfrs_keeper_CPPFLAGS = $(SHIM_CPPFLAGS)
dfrs_keeper_LDFLAGS = $(AM_LDFLAGS) -pie -Wl,-z,relro -Wl,-z,now
dfrs_keeper_LDADD = libcheckpoint.a libagent.a libshimnet.a $(SHIM_LIBS) $(ZSTD_LIBS)
dfrs_keeper_SOURCES = shim/checkpoint/keeper_main.cc
bin_PROGRAMS += dfrs-run
dfrs_run_CPPFLAGS = $(SHIM_CPPFLAGS)
dfrs_run_LDADD = libcheckpoint.a libbase.a $(FMT_LIBS)
dfrs_run_SOURCES = shim/checkpoint/run_main.cc

sbin_PROGRAMS += dfrsd
dfrsd_CPPFLAGS = $(libagent_a_CPPFLAGS) -DDFRS_HELPERS='"$(helpersdir)"'
# It listens as root: nothing that is written at run time may redirect its calls.
dfrsd_LDFLAGS = $(AM_LDFLAGS) -pie -Wl,-z,relro -Wl,-z,now
dfrsd_LDADD = libcheckpoint.a libagent.a libdfrs_conf.a libshimnet.a $(SHIM_LIBS) $(ZSTD_LIBS) $(SPDLOG_LIBS)
dfrsd_SOURCES = shim/dfrsd/main.cc

# The SPANK plugin: Slurm's public headers are all that it needs.
if HAVE_SPANK
spankdir = $(libdir)/dfrs/slurm
spank_PROGRAMS = plugin/spank_dfrs.so
# The line that loads it, for /etc/slurm/plugstack.conf.d.
plugstackdir = $(pkgdatadir)/plugstack.conf.d
plugstack_DATA = etc/plugstack.conf.d/dfrs.conf
endif
EXTRA_DIST += etc/plugstack.conf.d/dfrs.conf.in
CLEANFILES += etc/plugstack.conf.d/dfrs.conf
etc/plugstack.conf.d/dfrs.conf: $(srcdir)/etc/plugstack.conf.d/dfrs.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@spankdir[@]|$(libdir)/dfrs/slurm|' \
	  '$(srcdir)/etc/plugstack.conf.d/dfrs.conf.in' > $@.tmp && mv $@.tmp $@
plugin_spank_dfrs_so_SOURCES = \
	plugin/group_parts.c \
	plugin/group_parts.h \
	plugin/group_v1.c \
	plugin/group_v2.c \
	plugin/job_group.c \
	plugin/job_group.h \
	plugin/spank_dfrs.c \
	shim/agent/cgroup/task_path.c \
	shim/agent/cgroup/task_path.h
plugin_spank_dfrs_so_CPPFLAGS = $(AM_CPPFLAGS) $(SPANK_CPPFLAGS)
plugin_spank_dfrs_so_CFLAGS = $(AM_CFLAGS)
plugin_spank_dfrs_so_LDFLAGS = $(AM_LDFLAGS) -shared
plugin_spank_dfrs_so_LDADD = -lm

# The unit goes to datadir unless told otherwise: --with-systemdsystemunitdir=DIR.
systemdunitdir = $(SYSTEMD_UNIT_DIR)
systemdunit_DATA = etc/systemd/dfrsd.service
dfrsdefaultdir = $(pkgdatadir)/systemd
dist_dfrsdefault_DATA = etc/systemd/dfrsd.default etc/systemd/dfrsd-checkpoint.conf
EXTRA_DIST += etc/systemd/dfrsd.service.in
CLEANFILES += etc/systemd/dfrsd.service
etc/systemd/dfrsd.service: $(srcdir)/etc/systemd/dfrsd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@sbindir[@]|$(sbindir)|' -e 's|@sysconfdir[@]|$(sysconfdir)|' \
	  '$(srcdir)/etc/systemd/dfrsd.service.in' > $@.tmp && mv $@.tmp $@
