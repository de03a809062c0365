/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kBlock = 256 * 1024 };

struct arena_block {
  struct arena_block *next;
  size_t size;
  alignas(max_align_t) char bytes[];
};

/* Adds a block with room for `size` bytes, before all others. False: no memory. */
static bool add_block(struct arena *arena, size_t size) {
  const size_t room = size > kBlock ? size : kBlock;
  struct arena_block *block = malloc(sizeof(*block) + room);
  if (!block) return false;
  block->next = arena->first;
  block->size = room;
  arena->first = block;
  arena->used = 0;
  return true;
}

static void free_blocks(struct arena *arena) {
  while (arena->first) {
    struct arena_block *next = arena->first->next;
    free(arena->first);
    arena->first = next;
  }
}

void *arena_take(struct arena *arena, size_t count, size_t size) {
  const size_t align = alignof(max_align_t), most = SIZE_MAX / 2;
  if (count == 0) count = 1;
  if (size > most / count) arena->failed = true;
  if (arena->failed) return NULL;
  size = (count * size + align - 1) / align * align;
  if (!arena->first || arena->first->size - arena->used < size) arena->failed = !add_block(arena, size);
  if (arena->failed) return NULL;
  void *piece = arena->first->bytes + arena->used;
  arena->used += size;
  arena->taken += size;
  return piece;
}

const char *arena_text(struct arena *arena, const char *text) {
  if (!text) return NULL;
  const size_t size = strlen(text) + 1;
  char *copy = arena_take(arena, size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

bool arena_failed(const struct arena *arena) { return arena->failed; }

void arena_rewind(struct arena *arena) {
  const size_t taken = arena->taken;
  arena->used = arena->taken = 0;
  arena->failed = false;
  if (!arena->first || !arena->first->next) return;
  free_blocks(arena);
  (void)add_block(arena, taken + taken / 4); /* without memory, blocks are added as they are needed */
}

void arena_free(struct arena *arena) {
  free_blocks(arena);
  arena->used = arena->taken = 0;
  arena->failed = false;
}
