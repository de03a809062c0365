# SPDX-License-Identifier: GPL-2.0-or-later
# Slurm's plugins. Shared objects without libtool: slurmctld loads plain files with these names.
#   libdfrs_controller.so  policy and controller behind a C ABI; the plugins share their state through it
#   sched_dfrs.so          the thread (slurmctld); sched_backfill.so: the same for SchedulerType=sched/backfill
#   select_cons_tres.so    gate and exact placement around the stock selector of that name (slurmctld)
#   priority_multifactor.so  Slurm's own, but jobs cost what they were given (slurmctld)
#   spank_dfrs.so          puts tasks under their quota (slurmstepd, on the nodes)
#
# $ORIGIN: the plugins find the library relative to their own place: beside them in the build folder, one folder up when
# installed.
#
# A shared object that a running slurmctld has mapped must be replaced, never overwritten. `install` of coreutils unlinks
# the old file first; tests/plugin/install.sh checks that.
EXTRA_DIST += plugin/.clang-format plugin/slurm/config.h plugin/libdfrs_controller.map plugin/slurm_plugin.map

dfrslibdir = $(libdir)/dfrs
slurmplugindir = $(dfrslibdir)/slurm
dfrslib_PROGRAMS =
slurmplugin_PROGRAMS =

if BUILD_PLUGIN
# -z nodelete: slurmctld unloads plugins when it hands over to a backup, and loads them again. Threads of libraries that
# this one has loaded may still run then.
dfrslib_PROGRAMS += plugin/libdfrs_controller.so
plugin_libdfrs_controller_so_SOURCES =
nodist_EXTRA_plugin_libdfrs_controller_so_SOURCES = linked_by_the_c++_compiler.cc
plugin_libdfrs_controller_so_LDADD = $(WHOLE_ARCHIVE) $(CONTROLLER_PARTS) $(NO_WHOLE_ARCHIVE) libtimeline.a libpolicy.a $(SHIM_LIBS)
plugin_libdfrs_controller_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libdfrs_controller.so -Wl,-z,defs -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/plugin/libdfrs_controller.map
EXTRA_plugin_libdfrs_controller_so_DEPENDENCIES = plugin/libdfrs_controller.map

# _GNU_SOURCE: dladdr, as in Slurm itself.
SLURM_PLUGIN_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -D_GNU_SOURCE
# Slurm's symbols stay undefined: slurmctld has them. -z lazy: commands load selectors, too, and lack functions of
# slurmctld, so these are resolved only when called.
SLURM_PLUGIN_SO = $(AM_LDFLAGS) -shared -Wl,-z,lazy -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' \
	-Wl,--version-script=$(srcdir)/plugin/slurm_plugin.map

SCHED_SOURCES = \
	plugin/apply.c \
	plugin/apply.h \
	plugin/arena.c \
	plugin/arena.h \
	plugin/array_tasks.c \
	plugin/array_tasks.h \
	plugin/clock.h \
	plugin/compat.h \
	plugin/hold.h \
	plugin/job_records.c \
	plugin/job_records.h \
	plugin/job_shape.c \
	plugin/job_shape.h \
	plugin/lost_jobs.c \
	plugin/lost_jobs.h \
	plugin/marks.h \
	plugin/node_hints.c \
	plugin/node_hints.h \
	plugin/pace.h \
	plugin/plugin_dir.h \
	plugin/saving.c \
	plugin/saving.h \
	plugin/sched_dfrs.c \
	plugin/slow.h \
	plugin/slurm_settings.c \
	plugin/slurm_settings.h \
	plugin/snapshot.c \
	plugin/snapshot.h \
	plugin/stock_backfill.c \
	plugin/stock_backfill.h \
	plugin/usage_records.c \
	plugin/usage_records.h

# One plugin under two names: see plugin/sched_dfrs.c.
slurmplugin_PROGRAMS += plugin/sched_dfrs.so plugin/sched_backfill.so
plugin_sched_dfrs_so_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS) -DDFRS_SCHED_TYPE='"sched/dfrs"'
plugin_sched_dfrs_so_LDFLAGS = $(SLURM_PLUGIN_SO)
plugin_sched_dfrs_so_LDADD = plugin/libdfrs_controller.so
EXTRA_plugin_sched_dfrs_so_DEPENDENCIES = plugin/slurm_plugin.map
plugin_sched_dfrs_so_SOURCES = $(SCHED_SOURCES)
plugin_sched_backfill_so_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS) -DDFRS_SCHED_TYPE='"sched/backfill"'
plugin_sched_backfill_so_LDFLAGS = $(SLURM_PLUGIN_SO)
plugin_sched_backfill_so_LDADD = plugin/libdfrs_controller.so
EXTRA_plugin_sched_backfill_so_DEPENDENCIES = plugin/slurm_plugin.map
plugin_sched_backfill_so_SOURCES = $(SCHED_SOURCES)

# Exports all names, as Slurm's own: see plugin/priority_multifactor.c.
slurmplugin_PROGRAMS += plugin/priority_multifactor.so
plugin_priority_multifactor_so_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
plugin_priority_multifactor_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,lazy -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..'
plugin_priority_multifactor_so_LDADD = plugin/libdfrs_controller.so -lm
plugin_priority_multifactor_so_SOURCES = \
	plugin/compat.h \
	plugin/priority_multifactor.c

slurmplugin_PROGRAMS += plugin/select_cons_tres.so
plugin_select_cons_tres_so_CPPFLAGS = $(SLURM_PLUGIN_CPPFLAGS)
plugin_select_cons_tres_so_LDFLAGS = $(SLURM_PLUGIN_SO)
plugin_select_cons_tres_so_LDADD = plugin/libdfrs_controller.so
EXTRA_plugin_select_cons_tres_so_DEPENDENCIES = plugin/slurm_plugin.map
plugin_select_cons_tres_so_SOURCES = \
	plugin/compat.h \
	plugin/job_nodes.h \
	plugin/job_shape.c \
	plugin/job_shape.h \
	plugin/layout.c \
	plugin/layout.h \
	plugin/managed_memory.c \
	plugin/managed_memory.h \
	plugin/marks.h \
	plugin/placement.c \
	plugin/placement.h \
	plugin/plugin_dir.h \
	plugin/select_cons_tres.c \
	plugin/selector.h \
	plugin/selector_forward.h \
	plugin/selector_reserved.h \
	plugin/selector_reserved_22_05.h \
	plugin/selector_test.h \
	plugin/shared_row.c \
	plugin/shared_row.h \
	plugin/stock.c \
	plugin/stock.h
# The entry points of the selector differ between generations of Slurm.
if SLURM_22_05
plugin_select_cons_tres_so_SOURCES += plugin/selector_22_05.c
endif
if SLURM_23_11
plugin_select_cons_tres_so_SOURCES += plugin/selector_23_11.c
endif
if SLURM_24_11
plugin_select_cons_tres_so_SOURCES += plugin/selector_24_11.c
endif
if SLURM_25_05
plugin_select_cons_tres_so_SOURCES += plugin/selector_25_05.c
endif
endif
