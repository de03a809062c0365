/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/shared_row.h"

#include "plugin/stock.h"

static struct node_count {
  uint32_t cores;
  uint32_t jobs;
} *counts;
static int node_count;

static part_res_record_t *record; /* ours, in cons_tres' list */

/* It has no nodes, so cons_tres leaves it out of the copies with which it looks into the future. Lowest tier and no
 * preemption, so that no rule about priorities of partitions applies to it. */
static char part_name[] = "(placed by dfrs)";
static part_record_t no_partition = {.magic = PART_MAGIC, .name = part_name, .preempt_mode = PREEMPT_MODE_OFF};

static part_res_record_t **place_of_record(void) {
  part_res_record_t **at = stock.part_record;
  while (*at && *at != record) at = &(*at)->next;
  return at;
}

void shared_row_detach(void) {
  if (record) {
    part_res_record_t **at = place_of_record();
    if (*at) *at = record->next;
    for (int i = 0; i < node_count; ++i)
      if (record->row[0].row_bitmap[i]) bit_free(record->row[0].row_bitmap[i]);
    xfree(record->row[0].row_bitmap);
    xfree(record->row);
    xfree(record);
  }
  xfree(counts);
  node_count = 0;
}

void shared_row_attach(void) {
  shared_row_detach();
  node_count = node_record_count;
  counts = xcalloc(node_count ? node_count : 1, sizeof(*counts));
  part_res_record_t *made = xmalloc(sizeof(*made));
  made->num_rows = 1;
  made->part_ptr = &no_partition;
  made->row = xcalloc(1, sizeof(*made->row));
  made->row[0].row_bitmap = xcalloc(node_count ? node_count : 1, sizeof(bitstr_t *));
  *place_of_record() = made; /* the end of the list: `record` is NULL and not in it */
  record = made;
}

bool shared_row_foreign(int node, int core) {
  for (const part_res_record_t *part = *stock.part_record; part; part = part->next) {
    if (part == record || !part->row) continue;
    for (int i = 0; i < part->num_rows; ++i) {
      bitstr_t *const *const cores = part->row[i].row_bitmap;
      if (!cores || !cores[node] || part->row[i].num_jobs == 0) continue;
      if (core < 0 ? bit_ffs(cores[node]) >= 0 : core < bit_size(cores[node]) && compat_bit(cores[node], core))
        return true;
    }
  }
  return false;
}

/* Marks cores that no other job holds, so that the sum of both is what is allocated. */
static void update_row(int node) {
  const int cores = compat_node(node)->tot_cores;
  bitstr_t **const row = &record->row[0].row_bitmap[node];
  if (!*row) *row = bit_alloc(cores);
  bit_clear_all(*row);
  uint32_t left = counts[node].cores;
  for (int core = 0; core < cores && left > 0; ++core)
    if (!shared_row_foreign(node, core)) {
      bit_set(*row, core);
      --left;
    }
}

static bool is_counted(int node) { return record && node >= 0 && node < node_count && compat_node(node); }

void shared_row_add(int node, uint32_t cores) {
  if (!is_counted(node)) return;
  counts[node].cores += cores;
  ++counts[node].jobs;
  update_row(node);
}

void shared_row_remove(int node, uint32_t cores) {
  if (!is_counted(node)) return;
  if (counts[node].cores < cores || counts[node].jobs == 0) {
    error("dfrs: node %s has fewer cores allocated to exactly placed jobs (%u) than one of them gives back (%u)",
          compat_node(node)->name, counts[node].cores, cores);
    counts[node] = (struct node_count){0};
  } else {
    counts[node].cores -= cores;
    --counts[node].jobs;
  }
  update_row(node);
}

void shared_row_refresh(const bitstr_t *nodes) {
  if (!nodes) return;
  bitstr_t *const map = (bitstr_t *)nodes; /* Slurm's functions take no const, even those that only read */
  const int first = bit_ffs(map), last = first < 0 ? -1 : bit_fls(map);
  for (int i = first; i >= 0 && i <= last; ++i)
    if (compat_bit(map, i) && is_counted(i) && counts[i].jobs > 0) update_row(i);
}

uint32_t shared_row_cores(int node) { return is_counted(node) ? counts[node].cores : 0; }
uint32_t shared_row_jobs(int node) { return is_counted(node) ? counts[node].jobs : 0; }
