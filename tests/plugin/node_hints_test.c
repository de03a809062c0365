/* SPDX-License-Identifier: GPL-2.0-or-later
 * plugin/node_hints.h: whatever is remembered, the nodes are those of the bitmap; and they are found without a search.
 * Slurm's bitmaps are played here.
 */
#include "plugin/node_hints.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNodes = 300 };

static int searches;

/* One element a node. */
int bit_test(bitstr_t* bits, bitoff_t bit) { return bits[bit] != 0; }
bitoff_t bit_ffs(bitstr_t* bits) {
  ++searches;
  for (bitoff_t i = 0; i < kNodes; ++i)
    if (bits[i]) return i;
  return -1;
}

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  failures += !holds;
}

static struct node_hints known;
static bitstr_t map[kNodes];
static uint32_t nodes[kNodes];

static void set_nodes(int a, int b) {
  memset(map, 0, sizeof(map));
  map[a] = map[b] = 1;
}

static uint32_t list(uint32_t job, uint32_t count) {
  memset(nodes, 0xff, sizeof(nodes));
  searches = 0;
  return node_hints_list(&known, job, map, kNodes, count, nodes);
}

static void by_hand(void) {
  set_nodes(200, 250);
  expect(list(7, 2) == 2 && nodes[0] == 200 && nodes[1] == 250 && searches == 1, "two nodes are found by a search");
  expect(list(7, 2) == 2 && nodes[0] == 200 && nodes[1] == 250 && searches == 0, "and then without one");
  set_nodes(100, 200);
  expect(list(7, 2) == 2 && nodes[0] == 100 && nodes[1] == 200, "another node before the one that is known");
  set_nodes(200, 200);
  expect(list(7, 1) == 1 && nodes[0] == 200, "the first one is given back");
  expect(list(7, 3) == 1 && nodes[0] == 200, "fewer than Slurm says");
  set_nodes(210, 220);
  expect(list(7, 1) == 1 && nodes[0] == 210, "no more than are wanted");
  memset(map, 0, sizeof(map));
  expect(list(7, 1) == 0, "none at all");
  set_nodes(5, 299);
  expect(node_hints_list(&known, 7, map, 299, 2, nodes) == 1 && nodes[0] == 5, "a node beyond the end");
}

static void at_random(void) {
  srand(1);
  bool same = true;
  for (int round = 0; round < 20000 && same; ++round) {
    const uint32_t job = (uint32_t)rand() % 5000; /* more than there is room for */
    const int count = 1 + rand() % 4;
    bool in[kNodes] = {false};
    memset(map, 0, sizeof(map));
    srand(job * 7 + (unsigned)(rand() % 2)); /* mostly where it was before */
    for (int k = 0; k < count; ++k) in[rand() % kNodes] = true;
    srand((unsigned)round + 2);
    uint32_t expected[4], size = 0;
    for (int i = 0; i < kNodes; ++i) {
      if (!in[i]) continue;
      map[i] = 1;
      expected[size++] = (uint32_t)i;
    }
    node_hints_prefetch(&known, job, map);
    same = list(job, size) == size && memcmp(nodes, expected, size * sizeof(*nodes)) == 0;
  }
  expect(same, "20,000 bitmaps of jobs that share hints");
}

int main(void) {
  set_nodes(200, 250);
  expect(list(7, 2) == 2 && nodes[0] == 200, "without any room");
  node_hints_reserve(&known, 10);
  by_hand();
  at_random();
  node_hints_reserve(&known, 100000);
  set_nodes(3, 4);
  expect(list(99999, 2) == 2 && nodes[1] == 4, "with more room");
  node_hints_free(&known);
  return failures > 0;
}
