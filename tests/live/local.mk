# SPDX-License-Identifier: GPL-2.0-or-later
# The job that live tests and `quickstart cluster compare` run; the tests themselves are Python, run by quickstart.
noinst_PROGRAMS += tests/live/burn
tests_live_burn_SOURCES = tests/live/burn.c
tests_live_burn_CFLAGS = $(C_WARNINGS) $(PTHREAD_CFLAGS) -fPIC
tests_live_burn_LDADD = $(PTHREAD_LIBS)
tests_live_burn_LDFLAGS =
# Preloaded into slurmctld by test_starts.py and test_power.py.
noinst_PROGRAMS += tests/live/slow_fsync.so
tests_live_slow_fsync_so_SOURCES = tests/live/slow_fsync.c
tests_live_slow_fsync_so_CFLAGS = $(C_WARNINGS) -fPIC
tests_live_slow_fsync_so_LDFLAGS = -shared
EXTRA_DIST += \
	tests/live/__init__.py \
	tests/live/__main__.py \
	tests/live/accounting.py \
	tests/live/backup.py \
	tests/live/burst.py \
	tests/live/capacity.py \
	tests/live/case.py \
	tests/live/cgroups.py \
	tests/live/cli.py \
	tests/live/cluster.py \
	tests/live/compare.py \
	tests/live/configuration.py \
	tests/live/driver.py \
	tests/live/errors.py \
	tests/live/jobs.py \
	tests/live/load.py \
	tests/live/measure.py \
	tests/live/options.py \
	tests/live/pause_cost.py \
	tests/live/periodic.py \
	tests/live/pmix.py \
	tests/live/ports.py \
	tests/live/processes.py \
	tests/live/quotas.py \
	tests/live/report.py \
	tests/live/rollup.py \
	tests/live/runner.py \
	tests/live/scale.py \
	tests/live/seeds.py \
	tests/live/simulate.py \
	tests/live/slurm.py \
	tests/live/swap.py \
	tests/live/test_accounting.py \
	tests/live/test_advice.py \
	tests/live/test_auth.py \
	tests/live/test_campaign.py \
	tests/live/test_checkpoints.py \
	tests/live/test_cluster.py \
	tests/live/test_compare.py \
	tests/live/test_cores.py \
	tests/live/test_failover.py \
	tests/live/test_fairshare.py \
	tests/live/test_faults.py \
	tests/live/test_het.py \
	tests/live/test_jobs.py \
	tests/live/test_latency.py \
	tests/live/test_limits.py \
	tests/live/test_load.py \
	tests/live/test_many_nodes.py \
	tests/live/test_metrics.py \
	tests/live/test_mpi.py \
	tests/live/test_needs.py \
	tests/live/test_pausing.py \
	tests/live/test_power.py \
	tests/live/test_quotas.py \
	tests/live/test_record.py \
	tests/live/test_rollback.py \
	tests/live/test_select.py \
	tests/live/test_settings.py \
	tests/live/test_sharing.py \
	tests/live/test_shutdown.py \
	tests/live/test_starts.py \
	tests/live/test_teaching.py \
	tests/live/test_time_limit.py \
	tests/live/test_upgrade.py \
	tests/live/test_web.py \
	tests/live/test_weights.py \
	tests/live/test_workload.py \
	tests/live/timeline.py \
	tests/live/waiting.py \
	tests/live/wire.py \
	tests/live/workload.py
