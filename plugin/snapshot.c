/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/arena.h"
#include "plugin/array_tasks.h"
#include "plugin/clock.h"
#include "plugin/compat.h"
#include "plugin/job_records.h"
#include "plugin/job_shape.h"
#include "plugin/lost_jobs.h"
#include "plugin/marks.h"
#include "plugin/node_hints.h"
#include "shim/gate.h"

enum { kPlainParts = 64, kCacheLine = 64, kAhead = 12 };

struct snapshot {
  struct arena arena;
  struct dfrs_snapshot view;
  struct dfrs_node *nodes; /* view.nodes */
  struct dfrs_job *jobs;   /* view.jobs */
  uint32_t *table_index;   /* by view index: index in Slurm's node table */
  uint32_t *view_index;    /* by index in Slurm's node table: index in the view, or NO_VAL */
  const struct dfrs_job **by_id;
  job_record_t **records; /* of all of Slurm's jobs */
  size_t record_count;
  struct job_records job_records;
  struct node_hints node_hints;
  const part_record_t *named_part; /* of the last job, and the copy of its name */
  const char *part_name;
  uint64_t least_memory;
  uint32_t least_cpus, least_disk;
  uint32_t wants; /* enum dfrs_want */
  struct {        /* eligible nodes of jobs that ask for nothing special */
    const part_record_t *part;
    uint32_t limit; /* minutes; the time for which the job needs nodes without reservations */
    const uint64_t *mask;
  } plain[kPlainParts];
  int plain_count;
  double lock_time;
  uint32_t *dependents; /* numbers of jobs */
  size_t dependent_count;
  bool reservations; /* there are some, now or later */
  bitstr_t *managed; /* all nodes of managed partitions */
  bitstr_t *scratch;
};

struct snapshot *snapshot_new(void) {
  struct snapshot *s = calloc(1, sizeof(*s));
  return s;
}

void snapshot_free(struct snapshot *s) {
  if (!s) return;
  arena_free(&s->arena);
  job_records_free(&s->job_records);
  node_hints_free(&s->node_hints);
  if (s->managed) bit_free(s->managed);
  if (s->scratch) bit_free(s->scratch);
  free(s);
}

const struct dfrs_snapshot *snapshot_view(const struct snapshot *s) { return &s->view; }
uint32_t snapshot_node_index(const struct snapshot *s, uint32_t node) { return s->table_index[node]; }
uint64_t snapshot_least_memory(const struct snapshot *s) { return s->least_memory; }
double snapshot_lock_time(const struct snapshot *s) { return s->lock_time; }
const uint32_t *snapshot_dependents(const struct snapshot *s, size_t *count) {
  *count = s->dependent_count;
  return s->dependents;
}

/* Memory of the copy, until the next snapshot_take(). NULL: none is left, which snapshot_take() sees at its end. */
static void *pieces(struct snapshot *s, size_t count, size_t size) { return arena_take(&s->arena, count, size); }
static const char *copy_text(struct snapshot *s, const char *text) { return arena_text(&s->arena, text); }

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static void gather_managed(struct snapshot *s) {
  if (s->managed && bit_size(s->managed) != node_record_count) {
    bit_free(s->managed);
    bit_free(s->scratch);
    s->managed = s->scratch = NULL;
  }
  if (!s->managed) {
    s->managed = bit_alloc(node_record_count);
    s->scratch = bit_alloc(node_record_count);
  }
  bit_clear_all(s->managed);
  compat_iterator each = list_iterator_create(part_list);
  for (part_record_t *part; (part = list_next(each));)
    if (part->node_bitmap && dfrs_gate_manages(part->name)) bit_or(s->managed, part->node_bitmap);
  list_iterator_destroy(each);
}

static bool node_usable(const node_record_t *node, int index) {
  return compat_bit(avail_node_bitmap, index) && compat_bit(up_node_bitmap, index) && !IS_NODE_DOWN(node) &&
         !IS_NODE_DRAIN(node) && !IS_NODE_FAIL(node) && !IS_NODE_MAINT(node) && !IS_NODE_POWERING_DOWN(node) &&
         (!IS_NODE_NO_RESPOND(node) || IS_NODE_POWERED_DOWN(node) || IS_NODE_POWERING_UP(node));
}

/* FNV-1a over the names in order: different lists of nodes have different values. */
static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return (hash ^ 0x100) * 1099511628211u;
}

/* Allocates the tables for nodes and jobs. False: no memory. */
static bool make_tables(struct snapshot *s) {
  const size_t table_size = (size_t)node_record_count, nodes = (size_t)bit_set_count(s->managed);
  const size_t jobs = (size_t)list_count(job_list);
  s->nodes = pieces(s, nodes, sizeof(*s->nodes));
  s->table_index = pieces(s, nodes, sizeof(*s->table_index));
  s->view_index = pieces(s, table_size, sizeof(*s->view_index));
  s->jobs = pieces(s, jobs, sizeof(*s->jobs));
  s->by_id = pieces(s, jobs, sizeof(*s->by_id));
  s->dependents = pieces(s, jobs, sizeof(*s->dependents));
  s->records = pieces(s, jobs, sizeof(*s->records));
  s->record_count = jobs;
  return !arena_failed(&s->arena);
}

static void take_node(struct snapshot *s, const node_record_t *node, int index) {
  struct dfrs_node *out = &s->nodes[s->view.node_count];
  memset(out, 0, sizeof(*out));
  out->name = copy_text(s, node->name);
  out->address = node->comm_name && strcmp(node->comm_name, node->name) ? copy_text(s, node->comm_name) : out->name;
  out->slurmd_port = node->port ? node->port : slurm_conf.slurmd_port;
  out->cpus = node->cpus_efctv ? node->cpus_efctv : node->cpus;
  out->memory = node->real_memory > node->mem_spec_limit ? node->real_memory - node->mem_spec_limit : 0;
  out->usable = node_usable(node, index);
  out->completing = node->comp_job_cnt > 0 || IS_NODE_COMPLETING(node);
  if (out->memory < s->least_memory) s->least_memory = out->memory;
  if (out->cpus < s->least_cpus) s->least_cpus = out->cpus;
  if (node->tmp_disk < s->least_disk) s->least_disk = node->tmp_disk;
  s->table_index[s->view.node_count] = (uint32_t)index;
  s->view_index[index] = (uint32_t)s->view.node_count;
  s->view.node_generation = hash_text(s->view.node_generation, node->name);
  ++s->view.node_count;
}

static void prefetch(const void *at, size_t size) {
  for (size_t k = 0; k < size; k += kCacheLine) __builtin_prefetch((const char *)at + k);
}

/* Records lie anywhere in memory, and each read of one would wait for it: they are fetched while earlier ones are
 * copied. */
static void prefetch_nodes_from(int index) {
  if (index + kAhead < node_record_count && compat_node(index + kAhead))
    prefetch(compat_node(index + kAhead), sizeof(node_record_t));
  if (index + kAhead / 2 >= node_record_count || !compat_node(index + kAhead / 2)) return;
  const node_record_t *next = compat_node(index + kAhead / 2);
  if (next->name) prefetch(next->name, 1);
  if (next->comm_name) prefetch(next->comm_name, 1);
}

static void take_nodes(struct snapshot *s) {
  s->view.nodes = s->nodes;
  s->view.node_generation = 14695981039346656037u;
  s->least_memory = UINT64_MAX;
  s->least_cpus = s->least_disk = UINT32_MAX;
  s->plain_count = 0;
  s->reservations = resv_list && list_count(resv_list) > 0;
  for (int i = 0; i < node_record_count; ++i) {
    s->view_index[i] = NO_VAL;
    prefetch_nodes_from(i);
    const node_record_t *node = compat_node(i);
    if (node && node->name && compat_bit(s->managed, i)) take_node(s, node, i);
  }
  if (s->view.node_count == 0) s->least_memory = 0;
}

/* Adds what a foreign job holds on managed nodes. */
static void add_foreign(struct snapshot *s, const job_record_t *job) {
  const job_resources_t *held = job->job_resrcs;
  if (!held || !held->node_bitmap || !bit_overlap_any(held->node_bitmap, s->managed)) return;
  const int first = bit_ffs(held->node_bitmap), last = bit_fls(held->node_bitmap);
  uint32_t k = 0;
  for (int i = first; i >= 0 && i <= last && i < node_record_count; ++i) {
    if (!compat_bit(held->node_bitmap, i)) continue;
    const uint32_t at = k++;
    if (at >= held->nhosts) break;
    if (s->view_index[i] == NO_VAL) continue;
    struct dfrs_node *node = &s->nodes[s->view_index[i]];
    if (held->cpus && !IS_JOB_SUSPENDED(job)) node->foreign_cpus += held->cpus[at];
    if (held->memory_allocated) node->foreign_memory += held->memory_allocated[at];
    if (compat_whole_nodes(held->whole_node)) node->usable = false;
  }
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

/* Why a pending job may not start, or NULL. Only reads: job_independent() would write, and is called when a job starts
 * and in Slurm's own passes. */
static const char *blocked_reason(const job_record_t *job, const part_record_t *part, time_t now) {
  if (job->priority == 0) return job->state_desc ? job->state_desc : "held (priority 0)";
  if (job->het_job_id) return "heterogeneous jobs are not supported in a partition managed by dfrs";
  if (!(part->state_up & PARTITION_SCHED)) return "its partition is not scheduled now (inactive or draining)";
  switch (job->state_reason) {
    case WAIT_DEP_INVALID:
    case FAIL_ACCOUNT:
    case FAIL_QOS:
    case FAIL_BURST_BUFFER_OP:
    case WAIT_HELD:
    case WAIT_HELD_USER:
    case WAIT_MAX_REQUEUE:
    case WAIT_RESV_DELETED:
      return compat_reason(job);
    default:
      break;
  }
  if (job->bit_flags & JOB_DEPENDENT) return "waits for jobs that it depends on";
  if (array_is_full(job)) return "its array runs as many tasks as it may";
  if (job->resv_name) {
    const slurmctld_resv_t *const reservation = job_reservation(job, now);
    if (!reservation) return "its reservation is not there";
    if (now < reservation->start_time) return "its reservation has not begun";
    if (now >= reservation->end_time) return "its reservation is over";
  }
  return NULL;
}

/* Sets the bit of a view index. */
static void mask_set(uint64_t *mask, uint32_t index) { mask[index / 64] |= (uint64_t)1 << (index % 64); }

static void narrow_by_features(bitstr_t *nodes, bitstr_t *work, compat_list features) {
  if (!features || list_count(features) == 0) return;
  bool any = false, joined_or = false;
  compat_iterator each = list_iterator_create(features);
  for (job_feature_t *feature; (feature = list_next(each));)
    if (feature->op_code == FEATURE_OP_OR) joined_or = true;
  list_iterator_reset(each);
  bit_clear_all(work);
  for (job_feature_t *feature; (feature = list_next(each));) {
    bitstr_t *have = NULL;
    compat_iterator known = list_iterator_create(active_feature_list);
    for (node_feature_t *one; !have && (one = list_next(known));)
      if (!xstrcmp(one->name, feature->name)) have = one->node_bitmap;
    list_iterator_destroy(known);
    if (!joined_or) {
      if (have)
        bit_and(nodes, have);
      else
        bit_clear_all(nodes);
    } else if (have) {
      bit_or(work, have);
      any = true;
    }
  }
  list_iterator_destroy(each);
  if (joined_or) {
    if (any)
      bit_and(nodes, work);
    else
      bit_clear_all(nodes);
  }
}

/* Puts into s->scratch the nodes that the job and its partition name, directly or by features and reservations. */
static void select_named_nodes(struct snapshot *s, job_record_t *job, const part_record_t *part,
                               const struct job_shape *shape) {
  const compat_details *details = job->details;
  bitstr_t *nodes = s->scratch;
  bit_clear_all(nodes);
  if (part->node_bitmap) bit_or(nodes, part->node_bitmap);
  bit_and(nodes, s->managed);
  const slurmctld_resv_t *const reservation = job_reservation(job, (time_t)s->view.now);
  if (reservation && reservation->node_bitmap) {
    bit_and(nodes, reservation->node_bitmap);
  } else if (s->reservations && !job->resv_name) { /* else Slurm's test would write to the job */
    bitstr_t *free_nodes = compat_unreserved_nodes(job, (time_t)s->view.now);
    if (free_nodes)
      bit_and(nodes, free_nodes);
    else
      bit_clear_all(nodes);
    if (free_nodes) bit_free(free_nodes);
  }
  /* A job gets only the nodes that it names, unless it wants more nodes than that. */
  if (details->req_node_bitmap &&
      (details->min_nodes == NO_VAL || (int)details->min_nodes <= bit_set_count(details->req_node_bitmap)))
    bit_and(nodes, details->req_node_bitmap);
  if (details->exc_node_bitmap) bit_and_not(nodes, details->exc_node_bitmap);
  if (!shape->stock_placed && details->feature_list && list_count(details->feature_list)) {
    bitstr_t *work = bit_alloc(node_record_count);
    narrow_by_features(nodes, work, details->feature_list);
    bit_free(work);
  }
}

/* Removes nodes that are too small for a task of the job from s->scratch. Returns the number left. */
static size_t drop_small_nodes(struct snapshot *s, const job_record_t *job, const struct job_shape *shape) {
  const compat_details *details = job->details;
  uint32_t least_cpus = details->pn_min_cpus;
  if (least_cpus == NO_VAL || least_cpus < shape->cpus_per_task) least_cpus = shape->cpus_per_task;
  size_t left = 0;
  for (size_t i = 0; i < s->view.node_count; ++i) {
    const node_record_t *node = compat_node((int)s->table_index[i]);
    if (s->nodes[i].cpus < least_cpus || s->nodes[i].memory < shape->memory_per_task ||
        (details->pn_min_tmp_disk != NO_VAL && node->tmp_disk < details->pn_min_tmp_disk))
      bit_clear(s->scratch, s->table_index[i]);
    if (compat_bit(s->scratch, s->table_index[i])) ++left;
  }
  return left;
}

/* The nodes that a job may use, given its requests and its partition's. NULL: all of them. */
static const uint64_t *narrowed_nodes(struct snapshot *s, job_record_t *job, const part_record_t *part,
                                      const struct job_shape *shape) {
  select_named_nodes(s, job, part, shape);
  if (drop_small_nodes(s, job, shape) == s->view.node_count) return NULL;
  const size_t words = s->view.node_count / 64 + 1;
  uint64_t *mask = pieces(s, words, sizeof(*mask));
  if (!mask) return NULL;
  memset(mask, 0, words * sizeof(*mask));
  for (size_t i = 0; i < s->view.node_count; ++i)
    if (compat_bit(s->scratch, s->table_index[i])) mask_set(mask, (uint32_t)i);
  return mask;
}

/* In minutes; UINT32_MAX: none. */
static uint32_t time_limit(const job_record_t *job, const part_record_t *part) {
  uint32_t limit = job->time_limit;
  if (limit == NO_VAL) limit = part->default_time != NO_VAL ? part->default_time : part->max_time;
  return limit == INFINITE || limit == NO_VAL ? UINT32_MAX : limit;
}

/* The same; for jobs that fit on any node of their partition, without checking each node. */
static const uint64_t *eligible_nodes(struct snapshot *s, job_record_t *job, const part_record_t *part,
                                      const struct job_shape *shape) {
  const compat_details *details = job->details;
  const bool plain = !job->resv_ptr && !job->resv_name && !(job->warn_flags & KILL_JOB_RESV) &&
                     !details->req_node_bitmap && !details->exc_node_bitmap &&
                     !(details->feature_list && list_count(details->feature_list)) &&
                     shape->cpus_per_task <= s->least_cpus && shape->memory_per_task <= s->least_memory &&
                     (details->pn_min_cpus == NO_VAL || details->pn_min_cpus <= s->least_cpus) &&
                     (details->pn_min_tmp_disk == NO_VAL || details->pn_min_tmp_disk <= s->least_disk);
  if (!plain) return narrowed_nodes(s, job, part, shape);
  const uint32_t limit = s->reservations ? time_limit(job, part) : 0;
  for (int i = 0; i < s->plain_count; ++i)
    if (s->plain[i].part == part && s->plain[i].limit == limit) return s->plain[i].mask;
  const uint64_t *mask = narrowed_nodes(s, job, part, shape);
  if (s->plain_count < kPlainParts) {
    s->plain[s->plain_count].part = part;
    s->plain[s->plain_count].limit = limit;
    s->plain[s->plain_count++].mask = mask;
  }
  return mask;
}

/* Copies where a job runs, and its tasks on each node. Leaves out nodes that are no longer in a managed partition. */
static void take_placement(struct snapshot *s, const job_record_t *job, struct dfrs_job *out) {
  const job_resources_t *held = job->job_resrcs;
  if (!held || !held->node_bitmap || held->nhosts == 0) return;
  uint32_t *nodes = pieces(s, held->nhosts, sizeof(*nodes));
  uint16_t *tasks = pieces(s, held->nhosts, sizeof(*tasks));
  if (!nodes || !tasks) return;
  const bitoff_t size = bit_size(held->node_bitmap), most = size < node_record_count ? size : node_record_count;
  const uint32_t held_count =
      node_hints_list(&s->node_hints, job->job_id, held->node_bitmap, most, held->nhosts, nodes);
  uint32_t count = 0, placed = 0;
  for (uint32_t at = 0; at < held_count; ++at) {
    const uint32_t node = s->view_index[nodes[at]];
    if (node == NO_VAL) continue;
    uint32_t here = held->tasks_per_node && held->tasks_per_node[at] ? held->tasks_per_node[at] : 0;
    if (!here && held->cpus) here = held->cpus[at] / out->cpus_per_task;
    if (here == 0) here = 1;
    nodes[count] = node;
    tasks[count] = (uint16_t)here;
    placed += here;
    ++count;
  }
  /* Whole nodes, or more CPUs than the tasks need: there are no tasks on the surplus. */
  for (uint32_t at = count; placed > out->tasks && at-- > 0;) {
    const uint32_t surplus = placed - out->tasks, spare = tasks[at] - 1u;
    const uint32_t less = surplus < spare ? surplus : spare;
    tasks[at] = (uint16_t)(tasks[at] - less);
    placed -= less;
  }
  out->node_count = count;
  out->nodes = nodes;
  out->node_tasks = tasks;
}

/* Slurm's fair-share factor, 0 to 1; -1: unknown. With the classic algorithm it is the last value of the priority
 * plugin, which computes it only for pending jobs. */
static double fair_share(const job_record_t *job) {
  const slurmdb_assoc_rec_t *assoc = job->assoc_ptr;
  if (!assoc || !assoc->usage || xstrcmp(slurm_conf.priority_type, "priority/multifactor")) return -1;
  if (slurm_conf.priority_flags & PRIORITY_FLAGS_FAIR_TREE) return assoc->usage->fs_factor;
  if (!job->prio_factors || slurm_conf.priority_weight_fs == 0) return -1;
  return job->prio_factors->priority_fs / slurm_conf.priority_weight_fs;
}

/* Whether the job concerns the controller, and its phase. */
static bool phase_of(const job_record_t *job, enum dfrs_job_phase *phase) {
  const compat_details *details = job->details;
  if (!details || IS_JOB_REVOKED(job)) return false;
  if (IS_JOB_PENDING(job)) {
    const bool cleaning = IS_JOB_COMPLETING(job) || details->prolog_running || job->epilog_running ||
                          (job->step_list && list_count(job->step_list));
    *phase = cleaning ? DFRS_JOB_REQUEUING : DFRS_JOB_PENDING;
  } else if (IS_JOB_SUSPENDED(job)) {
    *phase = DFRS_JOB_SUSPENDED;
  } else if (IS_JOB_RUNNING(job)) {
    *phase = DFRS_JOB_RUNNING;
  } else {
    *phase = DFRS_JOB_ENDING;
    return IS_JOB_COMPLETING(job);
  }
  return true;
}

static uint32_t flags_of(const job_record_t *job, const struct job_shape *shape) {
  uint32_t flags = 0;
  if (IS_JOB_SUSPENDED(job) && !marked_paused(job)) flags |= DFRS_JOB_USER_SUSPENDED;
  if (shape->exclusive) flags |= DFRS_JOB_EXCLUSIVE;
  if (shape->stock_placed || shape->own_layout) flags |= DFRS_JOB_STOCK_PLACED;
  if (job->batch_flag) flags |= DFRS_JOB_BATCH;
  if (job->batch_flag && job->details->requeue) flags |= DFRS_JOB_MAY_REQUEUE;
  if (job->array_recs && job->array_recs->task_id_bitmap && job->array_task_id == NO_VAL) flags |= DFRS_JOB_ARRAY_META;
  if (lost_jobs_has(job)) flags |= DFRS_JOB_LOST;
  if (IS_JOB_CONFIGURING(job)) flags |= DFRS_JOB_CONFIGURING;
  return flags;
}

/* Copies the job's identity and request, but not its placement. */
static void take_request(struct snapshot *s, const job_record_t *job, const part_record_t *part, time_t now,
                         const struct job_shape *shape, struct dfrs_job *out) {
  const compat_details *details = job->details;
  out->key = (struct dfrs_job_key){.job_id = job->job_id, .restarts = job->restart_cnt, .submit = details->submit_time};
  out->user_id = job->user_id;
  out->flags = flags_of(job, shape);
  out->tasks = shape->tasks;
  out->cpus_per_task = shape->cpus_per_task;
  out->memory_per_task = shape->memory_per_task;
  out->time_limit = time_limit(job, part);
  out->priority = job->priority;
  /* These two need locks that are held only if they are wanted. */
  out->qos_priority = (s->wants & DFRS_WANT_QOS) && job->qos_ptr ? job->qos_ptr->priority : 0;
  out->fair_share = s->wants & DFRS_WANT_FAIR_SHARE ? fair_share(job) : -1;
  out->begin_time = details->begin_time;
  out->eligible_time = details->begin_time && details->begin_time <= now ? details->begin_time : 0;
  out->name = copy_text(s, job->name ? job->name : "");
  if (part != s->named_part) {
    s->named_part = part;
    s->part_name = copy_text(s, part->name);
  }
  out->partition = s->part_name;
  out->comment = copy_text(s, job->comment);
}

/* Copies the job to *out. False: it does not concern the controller. */
static bool take_job(struct snapshot *s, job_record_t *job, const part_record_t *part, time_t now,
                     struct dfrs_job *out) {
  memset(out, 0, sizeof(*out));
  if (!phase_of(job, &out->phase)) return false;
  const struct job_shape shape = job_shape(job, s->least_memory);
  take_request(s, job, part, now, &shape, out);

  const bool waits = out->phase == DFRS_JOB_PENDING || out->phase == DFRS_JOB_REQUEUING;
  const char *reason = out->phase == DFRS_JOB_PENDING ? blocked_reason(job, part, now) : NULL;
  if (reason) {
    out->phase = DFRS_JOB_BLOCKED;
    out->blocked_reason = copy_text(s, reason);
    if (job->bit_flags & JOB_DEPENDENT) s->dependents[s->dependent_count++] = job->job_id;
  }
  if (!waits) {
    out->start_time = job->start_time;
    out->end_time = job->end_time;
    out->steps = job->next_step_id;
    if (out->phase != DFRS_JOB_ENDING) take_placement(s, job, out);
  }
  /* A running job may be restarted elsewhere. */
  if (waits || (part->node_bitmap && (out->flags & DFRS_JOB_MAY_REQUEUE)))
    out->eligible = eligible_nodes(s, job, part, &shape);
  return true;
}

/* The same of jobs, and of what their records lead to. */
static void prefetch_jobs_from(const struct snapshot *s, size_t index, size_t count) {
  if (index + kAhead < count) prefetch(s->records[index + kAhead], sizeof(job_record_t));
  if (index + kAhead * 2 / 3 < count) {
    const job_record_t *next = s->records[index + kAhead * 2 / 3];
    if (next->details) prefetch(next->details, sizeof(*next->details));
    if (next->job_resrcs) prefetch(next->job_resrcs, sizeof(*next->job_resrcs));
  }
  if (index + kAhead / 3 >= count) return;
  const job_record_t *next = s->records[index + kAhead / 3];
  if (next->name) prefetch(next->name, 1);
  if (next->comment) prefetch(next->comment, 1);
  if (next->step_list) prefetch(next->step_list, 1);
  const job_resources_t *held = next->job_resrcs;
  if (!held) return;
  if (held->node_bitmap) node_hints_prefetch(&s->node_hints, next->job_id, held->node_bitmap);
  if (held->cpus) prefetch(held->cpus, 1);
  if (held->tasks_per_node) prefetch(held->tasks_per_node, 1);
}

static void take_jobs(struct snapshot *s, time_t now) {
  s->view.jobs = s->jobs;
  const size_t count = job_records_list(&s->job_records, s->records, s->record_count);
  node_hints_reserve(&s->node_hints, count);
  s->named_part = NULL;
  for (size_t k = 0; k < count; ++k) {
    prefetch_jobs_from(s, k, count);
    job_record_t *job = s->records[k];
    const part_record_t *part = job_managed_partition(job);
    if (part)
      s->view.job_count += take_job(s, job, part, now, &s->jobs[s->view.job_count]);
    else if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
      add_foreign(s, job);
  }
}

static int by_job_id(const void *a, const void *b) {
  const struct dfrs_job *x = *(const struct dfrs_job *const *)a, *y = *(const struct dfrs_job *const *)b;
  return (x->key.job_id > y->key.job_id) - (x->key.job_id < y->key.job_id);
}

const struct dfrs_job *snapshot_find(const struct snapshot *s, uint32_t job_id) {
  const struct dfrs_job wanted = {.key = {.job_id = job_id}}, *key = &wanted;
  const struct dfrs_job **found = bsearch(&key, s->by_id, s->view.job_count, sizeof(*s->by_id), by_job_id);
  return found ? *found : NULL;
}

static void index_jobs(struct snapshot *s) {
  bool sorted = true;
  for (size_t i = 0; i < s->view.job_count; ++i) {
    s->by_id[i] = &s->jobs[i];
    if (i > 0 && s->jobs[i].key.job_id < s->jobs[i - 1].key.job_id) sorted = false;
  }
  if (!sorted) qsort(s->by_id, s->view.job_count, sizeof(*s->by_id), by_job_id);
}

static bool slurmctld_ready(void) {
  return avail_node_bitmap && up_node_bitmap && job_list && part_list && !slurmctld_config.shutdown_time &&
         !slurmctld_config.scheduling_disabled;
}

int snapshot_take(struct snapshot *s, uint32_t wants) {
  const slurmctld_lock_t locks = {.conf = READ_LOCK, .job = READ_LOCK, .node = READ_LOCK, .part = READ_LOCK};
  assoc_mgr_lock_t assoc_locks = {.assoc = wants & DFRS_WANT_FAIR_SHARE ? READ_LOCK : NO_LOCK,
                                  .qos = wants & DFRS_WANT_QOS ? READ_LOCK : NO_LOCK};
  arena_rewind(&s->arena);
  s->dependent_count = 0;
  memset(&s->view, 0, sizeof(s->view));
  s->wants = wants;
  lock_slurmctld(locks);
  if (wants) assoc_mgr_lock(&assoc_locks);
  const double locked = monotonic_clock();
  const bool ready = slurmctld_ready();
  if (ready) {
    s->view.now = wall_clock();
    gather_managed(s);
    if (make_tables(s)) {
      take_nodes(s);
      take_jobs(s, (time_t)s->view.now);
    }
  }
  s->lock_time = monotonic_clock() - locked;
  if (wants) assoc_mgr_unlock(&assoc_locks);
  unlock_slurmctld(locks);
  if (!ready) return 1;
  if (arena_failed(&s->arena)) return -1;
  index_jobs(s);
  return 0;
}
