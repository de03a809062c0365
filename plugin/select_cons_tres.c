/* SPDX-License-Identifier: GPL-2.0-or-later
 * The selector that slurmctld loads in place of select/cons_tres: it has the same name and number, comes before it in
 * PluginDir, loads it, and passes every call on, except for jobs of managed partitions:
 *
 * - Gate: they start only with a plan of the sched thread (shim/gate.h), whatever made Slurm try to start them.
 * - Placement: as planned (placement.h); a job with a layout of its own, on some of the plan's nodes (layout.h); a job
 *   that needs cons_tres (GRES, topology), by cons_tres, but only on the plan's nodes.
 * - Pause: our suspends give back cores and memory; a resume takes them again or is refused.
 *
 * After a restart, marks in a job's saved placement (marks.h) say how to treat it:
 *   - A job that was placed exactly stays so until it ends, even if its partition is no longer managed: it is not in
 *     cons_tres' rows and shares cores.
 *   - A job that was running when its partition became managed stays in cons_tres' rows. It can be paused.
 *   - A job that we paused resumes only if its memory is free, even if a user asks for it or its partition is no longer
 *     managed.
 * `scontrol suspend` frees the cores and keeps the memory, as in stock Slurm: the job is not paged out, and its resume
 * must not fail.
 *
 * `indefinite` tells the two kinds of suspend apart: `scontrol suspend` sets it, our thread does not (compat_suspend).
 * Gang scheduling does not set it either; it is not supported (PreemptMode=OFF).
 *
 * Slurm holds the job and node write locks in all calls that change something.
 */
#include <string.h>
#include <sys/prctl.h>

#include "plugin/compat.h"
#include "plugin/job_nodes.h"
#include "plugin/job_shape.h"
#include "plugin/layout.h"
#include "plugin/managed_memory.h"
#include "plugin/marks.h"
#include "plugin/placement.h"
#include "plugin/selector.h"
#include "plugin/shared_row.h"
#include "plugin/stock.h"
#include "shim/gate.h"

const char plugin_name[] = "Consumable resources, with fractional sharing by dfrs";
const char plugin_type[] = "select/cons_tres";
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Whether this is slurmctld. Other programs load selectors, too, and have no jobs: all calls are passed on there. */
static bool active;

int init(void) {
  if (stock_load() != SLURM_SUCCESS) return SLURM_ERROR;
  const int rc = stock.init();
  if (rc != SLURM_SUCCESS) return rc;
  active = compat_in_slurmctld();
  if (active) dfrs_gate_set_select_ready(true);
  return SLURM_SUCCESS;
}

int fini(void) {
  if (!stock.fini) return SLURM_SUCCESS;
  if (active) {
    dfrs_gate_set_select_ready(false);
    shared_row_detach();
  }
  stock.fini();
  stock_unload();
  active = false;
  return SLURM_SUCCESS;
}

static bool managed(const job_record_t *job) {
  return active && job->part_ptr && dfrs_gate_manages(job->part_ptr->name);
}

static bool exact(const job_record_t *job) { return active && marked_exact(job); }

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* Whether this is the thread of stock backfill, by the name that it gives itself. It must not find a start for a
 * managed job: it would reserve nodes for the job and keep other partitions' jobs off them. */
static bool in_backfill(void) {
  char name[16] = "";
  return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "bckfl") == 0;
}

static int run_now(const struct selector_test *test) {
  job_record_t *const job = test->job;
  bitstr_t *const nodes = test->nodes;
  const struct dfrs_plan plan = dfrs_gate_plan(job->job_id);
  switch (plan.kind) {
    case DFRS_PLAN_EXACT:
      return place_exactly(job, nodes, test->min_nodes, test->max_nodes, &plan, &test->reserved);
    case DFRS_PLAN_STOCK: {
      if (!job_shape(job, 0).stock_placed) {
        struct layout layout;
        free_job_resources(&job->job_resrcs);
        if (!layout_make(job, nodes, test->min_nodes, test->max_nodes, test->req_nodes, &plan, &layout))
          return SLURM_ERROR;
        const int rc = place_exactly(job, nodes, test->min_nodes, test->max_nodes, &layout.plan, &test->reserved);
        layout_free(&layout);
        return rc;
      }
      bitstr_t *planned = bit_alloc(bit_size(nodes));
      for (uint32_t k = 0; k < plan.node_count; ++k)
        if ((bitoff_t)plan.nodes[k] < bit_size(planned)) bit_set(planned, plan.nodes[k]);
      bit_and(nodes, planned);
      bit_free(planned);
      return bit_ffs(nodes) < 0 ? SLURM_ERROR : test->stock(test);
    }
    case DFRS_PLAN_NONE:
      break;
  }
  free_job_resources(&job->job_resrcs);
  debug2("dfrs: job %u waits for the policy", job->job_id);
  return SLURM_ERROR;
}

/* Only stock backfill looks at heterogeneous jobs, so here squeue learns why these never start. */
static void explain_to_squeue(job_record_t *job) {
  if (!job->het_job_id || job->state_desc) return;
  job->state_desc = xstrdup("Heterogeneous jobs are not supported in a partition managed by dfrs");
}

/* Whether the job could ever run, which Slurm asks for every job that is submitted, with the write locks held.
 * cons_tres looks at each node that it is given. It gets all of them only if the job does not fit on some. */
static int could_run(const struct selector_test *test) {
  const uint32_t wanted = test->min_nodes > test->req_nodes ? test->min_nodes : test->req_nodes;
  const int64_t some = 64 + 2 * (int64_t)wanted;
  bitstr_t *const nodes = test->nodes;
  if (bit_set_count(nodes) <= 2 * some) return test->stock(test);
  bitstr_t *const all = bit_copy(nodes);
  int64_t left = some;
  for (bitoff_t i = bit_ffs(all), last = bit_fls(all); i <= last; ++i) {
    if (!compat_bit(all, i) || left-- > 0) continue;
    if (!test->job->details->req_node_bitmap || !compat_bit(test->job->details->req_node_bitmap, i))
      bit_clear(nodes, i);
  }
  int rc = test->stock(test);
  if (rc != SLURM_SUCCESS) {
    bit_copybits(nodes, all);
    rc = test->stock(test);
  }
  bit_free(all);
  return rc;
}

int selector_job_test(const struct selector_test *test) {
  if (managed(test->job) && test->job->details && test->min_nodes > 0) {
    const int mode = test->mode & SELECT_MODE_BASE;
    if (mode == SELECT_MODE_RUN_NOW) return run_now(test);
    if (mode == SELECT_MODE_WILL_RUN && in_backfill()) {
      explain_to_squeue(test->job);
      return SLURM_ERROR;
    }
    /* Slurm calls this for every job that is submitted. It also does so after a start by our own plan has failed, which
     * we know already. */
    if (mode == SELECT_MODE_TEST_ONLY) {
      if (dfrs_gate_plan(test->job->job_id).kind == DFRS_PLAN_NONE) dfrs_gate_wake();
      return could_run(test);
    }
  }
  return test->stock(test);
}

/* ---- what jobs hold ---------------------------------------------------------------------------------------------- */

static void add_placed_memory(const job_record_t *job) {
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
    if (job->job_resrcs->memory_allocated[at.k]) memory_add(at.node, job->job_resrcs->memory_allocated[at.k], job);
}

static const bitstr_t *nodes_of(const job_record_t *job) {
  return job->job_resrcs ? job->job_resrcs->node_bitmap : NULL;
}

/* Adds a running or suspended job to the counts: after its placement, and for all jobs at a restart. */
static int add_job(job_record_t *job) {
  if (active) marks_upgrade(job, placement_cr_type(job->part_ptr));
  if (!exact(job)) {
    int rc;
    if (active && marked_paused(job)) {
      /* cons_tres takes a suspended job with a priority for one that gang scheduling has stopped, and counts its cores.
       */
      const uint32_t priority = job->priority;
      job->priority = 0;
      rc = stock.nodeinfo_set(job);
      job->priority = priority;
    } else {
      rc = stock.nodeinfo_set(job);
    }
    if (active && (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))) shared_row_refresh(nodes_of(job));
    return rc;
  }
  if (!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job)) return SLURM_SUCCESS;
  add_placed_memory(job);
  if (IS_JOB_RUNNING(job)) placed_cores_take(job);
  return SLURM_SUCCESS;
}

int select_p_select_nodeinfo_set(job_record_t *job) { return add_job(job); }

int select_p_job_fini(job_record_t *job) {
  int rc = SLURM_SUCCESS;
  if (!exact(job)) {
    rc = stock.job_fini(job);
    if (active) shared_row_refresh(nodes_of(job));
  } else if (!*stock.initializing) { /* before all jobs have been added, there is nothing to remove */
    placed_cores_give_back(job);
    for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
      memory_remove(at.node, job->job_resrcs->memory_allocated[at.k], job);
  }
  if (active && (managed(job) || exact(job))) dfrs_gate_wake();
  return rc;
}

/* ---- pause ------------------------------------------------------------------------------------------------------- */

int select_p_job_suspend(job_record_t *job, bool indefinite) {
  if (!exact(job) && (indefinite || !managed(job))) {
    const int rc = stock.job_suspend(job, indefinite);
    if (active) shared_row_refresh(nodes_of(job));
    return rc;
  }
  if (!job->job_resrcs) return ESLURM_NOT_SUPPORTED;
  /* Nothing would tell its pause from a user's suspend, see marked_paused(). */
  if (!indefinite && job->priority == 0 && !memory_can_be_given_back(job)) return ESLURM_NOT_SUPPORTED;
  if (exact(job)) {
    placed_cores_give_back(job);
  } else {
    const int rc = stock.job_suspend(job, true);
    if (rc != SLURM_SUCCESS) return rc;
    shared_row_refresh(nodes_of(job));
  }
  if (!indefinite) memory_give_back(job);
  dfrs_gate_wake();
  return SLURM_SUCCESS;
}

/* Whether no other job that cons_tres placed has a core of this one, which gave them back. cons_tres itself does not
 * look: it would only log "job overflow" and count the core once. */
static bool cores_are_free(const job_record_t *job) {
  job_resources_t *const held = job->job_resrcs;
  if (!held || !held->core_bitmap) return true;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at)) {
    const int first = get_job_resources_offset(held, at.k, 0, 0);
    for (int core = 0; first >= 0 && core < compat_node(at.node)->tot_cores; ++core)
      if (compat_bit(held->core_bitmap, first + core) && shared_row_foreign(at.node, core)) return false;
  }
  return true;
}

int select_p_job_resume(job_record_t *job, bool indefinite) {
  const bool paused = active && marked_paused(job);
  if (!exact(job) && !paused) {
    const int rc = stock.job_resume(job, indefinite);
    if (active) shared_row_refresh(nodes_of(job));
    return rc;
  }
  /* Slurm checks this only after us, and would then leave the job suspended. */
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
    if (IS_NODE_DOWN(compat_node(at.node))) return ESLURM_NODE_NOT_AVAIL;
  if (!memory_has_room(job)) {
    debug("dfrs: job %u cannot be resumed now: its memory is not free", job->job_id);
    return ESLURM_NODES_BUSY;
  }
  if (exact(job)) {
    if (!placed_has_room(job)) {
      debug("dfrs: job %u cannot be resumed now: another job uses one of its nodes exclusively", job->job_id);
      return ESLURM_NODES_BUSY;
    }
    placed_cores_take(job);
  } else {
    if (!cores_are_free(job)) {
      debug("dfrs: job %u cannot be resumed now: another job has its cores", job->job_id);
      return ESLURM_NODES_BUSY;
    }
    const int rc = stock.job_resume(job, true);
    if (rc != SLURM_SUCCESS) return rc;
    shared_row_refresh(nodes_of(job));
  }
  memory_take(job);
  dfrs_gate_wake();
  return SLURM_SUCCESS;
}

/* ---- resize ------------------------------------------------------------------------------------------------------ */

int select_p_job_resized(job_record_t *job, node_record_t *node) {
  int rc;
  if (exact(job)) {
    rc = placed_resize(job, node);
  } else {
    rc = stock.job_resized(job, node);
    if (active) shared_row_refresh(nodes_of(job));
  }
  if (managed(job)) dfrs_gate_wake();
  return rc;
}

/* Hands a job over to cons_tres: removes it from our counts, except its memory, which cons_tres removes itself. */
static bool hand_over(job_record_t *job) {
  if (!exact(job)) return false;
  placed_cores_give_back(job);
  mark_exact(job, false);
  return true;
}

static void take_back(job_record_t *job) {
  mark_exact(job, true);
  placed_cores_take(job);
}

/* One job takes over the nodes of another (a dependency of type `expand`). cons_tres merges the two and puts the result
 * into its rows, from where we take back a job that was placed exactly: cons_tres' suspend removes its cores from the
 * rows and leaves the memory. We must not refuse: slurmctld has already killed the tasks of `from`. */
int select_p_job_expand(job_record_t *from, job_record_t *to) {
  const bool from_exact = hand_over(from), to_exact = hand_over(to);
  const int rc = stock.job_expand(from, to);
  if (rc != SLURM_SUCCESS) {
    if (from_exact) take_back(from);
    if (to_exact) take_back(to);
  } else if (to_exact) {
    (void)stock.job_suspend(to, true);
    take_back(to);
  }
  if (active) {
    shared_row_refresh(nodes_of(to));
    if (managed(to) || managed(from)) dfrs_gate_wake();
  }
  return rc;
}

/* ---- all from the beginning -------------------------------------------------------------------------------------- */

int select_p_node_init(void) {
  if (!active) return stock.node_init();
  compat_accounting_ready();
  shared_row_detach();
  placed_cores_forget();
  const int rc = stock.node_init();
  if (rc == SLURM_SUCCESS) shared_row_attach();
  return rc;
}

/* That of cons_tres would add exactly placed jobs to its rows, so we repeat its steps with our add_job(). */
int select_p_reconfigure(void) {
  if (!active) return stock.reconfigure();
  info("%s: reconfigure", plugin_type);
  compat_list const defaults = slurm_conf.job_defaults_list;
  *stock.def_cpu_per_gpu = defaults ? selector_def_cpu_per_gpu(defaults) : 0;
  *stock.def_mem_per_gpu = defaults ? selector_def_mem_per_gpu(defaults) : 0;
  const int rc = select_p_node_init();
  if (rc != SLURM_SUCCESS) return rc;
  compat_unblock_nodes();
  compat_iterator each = list_iterator_create(job_list);
  for (job_record_t *job; (job = list_next(each));) {
    (void)add_job(job);
    compat_block_nodes(job);
  }
  list_iterator_destroy(each);
  *stock.initializing = false;
  dfrs_gate_wake();
  return SLURM_SUCCESS;
}

/* ---- handed on --------------------------------------------------------------------------------------------------- */

int select_p_job_begin(job_record_t *job) { return stock.job_begin(job); }
int select_p_job_ready(job_record_t *job) { return stock.job_ready(job); }
int select_p_select_nodeinfo_set_all(void) { return stock.nodeinfo_set_all(); }
