/* SPDX-License-Identifier: GPL-2.0-or-later
 * priority/multifactor for slurmctld: Slurm's own, compiled from the same source, with another cost of jobs. Slurm
 * charges an association for all CPUs of its jobs all of the time, even while they are suspended; here a managed job
 * costs the CPU that its yields gave it, and fair share follows from that. Memory, GRES and the rest cost as much as in
 * Slurm, which counts them as held whatever the job's yield is.
 *
 * Slurm computes a job's cost in one place, static and without a hook: there it asks calc_job_billable_tres(), which is
 * replaced by ours below.
 *
 * Unlike our other plugins this one exports all names of Slurm's source, as the original does (its copies of
 * slurmctld's data must give way to slurmctld's own), but for the init() that ours calls.
 */
#include <float.h>
#include <math.h>

#include "plugin/compat.h"
#include "shim/controller.h"
#include "shim/usage.h"
#include "src/slurmctld/read_config.h"

static double charged_billing(job_record_t *job, time_t from, time_t to, double decayed, double plain);

/* Slurm's _apply_new_usage() has these names: the end of the period, its length with decay, its length. */
#define calc_job_billable_tres(job, from, locked) charged_billing(job, from, end_period, run_decay, run_delta)
#define init init_multifactor
__attribute__((visibility("hidden"))) int init_multifactor(void);
/* clang-format off: these are one file */
#include "src/plugins/priority/multifactor/fair_tree.c"
#include "src/plugins/priority/multifactor/priority_multifactor.c"
/* clang-format on */
#undef calc_job_billable_tres
#undef init

static bool usage_available;

/* slurmctld charges for the time of a restart before it loads schedulers. */
static void restore(void) {
  usage_available = dfrs_controller_abi() == DFRS_CONTROLLER_ABI;
  if (!usage_available) {
    error("priority/multifactor: libdfrs_controller.so is from another build; jobs are charged for all their CPUs");
    return;
  }
  char *conf_file = get_extra_conf_path("dfrs.conf");
  dfrs_usage_restore(conf_file, slurm_conf.state_save_location);
  xfree(conf_file);
}

/* Slurm holds no lock here, so that files may be read. */
int init(void) {
  if (compat_in_slurmctld()) restore();
  return init_multifactor();
}

/* Without weights Slurm bills CPUs. */
static double billing_at(job_record_t *job, double full, double fraction) {
  const part_record_t *const part = job->part_ptr;
  if (!part || !part->billing_weights) return full * fraction;
  double weights[slurmctld_tres_cnt];
  memcpy(weights, part->billing_weights, sizeof(weights));
  weights[TRES_ARRAY_CPU] *= fraction;
  return assoc_mgr_tres_weighted(job->tres_alloc_cnt, weights, slurm_conf.priority_flags, true);
}

static void take_back_from(long double *usage, const job_record_t *job, double cpus, double billing, double seconds) {
  const double counts[] = {cpus, billing};
  const int places[] = {TRES_ARRAY_CPU, TRES_ARRAY_BILLING};
  for (int i = 0; i < 2; ++i) {
    if (job->tres_alloc_cnt[places[i]] == NO_CONSUME_VAL64) continue;
    usage[places[i]] -= (long double)(counts[i] * seconds);
  }
}

static void take_back_from_qos(const slurmdb_qos_rec_t *qos, const job_record_t *job, double cpus, double billing,
                               double decayed, double plain) {
  if (!qos || !qos->usage || !qos->usage->usage_tres_raw) return;
  const double seconds = qos->flags & QOS_FLAG_NO_DECAY ? plain : decayed;
  take_back_from(qos->usage->usage_tres_raw, job, cpus, billing, seconds);
}

/* The limits in minutes (GrpTRESMins) have sums of their own, to which Slurm is about to add all CPUs. Under the same
 * hold of the lock we take off in advance what the job did not get. */
static void take_back(job_record_t *job, double cpus, double billing, double decayed, double plain) {
  if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS)) return;
  const slurmdb_qos_rec_t *const qos = job->qos_ptr;
  if (qos && qos->usage_factor >= 0) {
    decayed *= qos->usage_factor;
    plain *= qos->usage_factor;
  }
  take_back_from_qos(qos, job, cpus, billing, decayed, plain);
  if (job->part_ptr && job->part_ptr->qos_ptr != qos)
    take_back_from_qos(job->part_ptr->qos_ptr, job, cpus, billing, decayed, plain);
  for (const slurmdb_assoc_rec_t *assoc = job->assoc_ptr; assoc; assoc = assoc->usage->parent_assoc_ptr)
    take_back_from(assoc->usage->usage_tres_raw, job, cpus, billing, decayed);
}

/* What the job costs a second in that period. The caller holds the association and QOS write locks. */
static double charged_billing(job_record_t *job, time_t from, time_t to, double decayed, double plain) {
  const double full = calc_job_billable_tres(job, from, true);
  double fraction = 1;
  if (!usage_available || !job->tres_alloc_cnt ||
      !dfrs_usage_fraction(job->job_id, job->restart_cnt, (double)from, (double)to, &fraction))
    return full;
  const double got = billing_at(job, full, fraction);
  const double cpus = (double)job->tres_alloc_cnt[TRES_ARRAY_CPU] * (1 - fraction);
  const double billed = (double)job->tres_alloc_cnt[TRES_ARRAY_BILLING];
  take_back(job, cpus, full > 0 ? billed * (1 - got / full) : 0, decayed, plain);
  log_flag(PRIO, "%pJ had %g of its CPUs for %g s: it costs %g instead of %g a second", job, fraction, plain, got,
           full);
  return got;
}
