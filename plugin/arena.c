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

/* Selects or adds a block with `size` bytes left. False: no memory. */
static bool find_block(struct arena *arena, size_t size) {
  while (arena->now && arena->now->size - arena->used < size && arena->now->next) {
    arena->now = arena->now->next;
    arena->used = 0;
  }
  if (arena->now && arena->now->size - arena->used >= size) return true;
  const size_t room = size > kBlock ? size : kBlock;
  struct arena_block *block = malloc(sizeof(*block) + room);
  if (!block) return false;
  block->next = NULL;
  block->size = room;
  if (arena->now)
    arena->now->next = block;
  else
    arena->first = block;
  arena->now = block;
  arena->used = 0;
  return true;
}

void *arena_take(struct arena *arena, size_t count, size_t size) {
  const size_t align = alignof(max_align_t), most = SIZE_MAX / 2;
  if (count == 0) count = 1;
  if (size > most / count) arena->failed = true;
  if (arena->failed) return NULL;
  size = (count * size + align - 1) / align * align;
  arena->failed = !find_block(arena, size);
  if (arena->failed) return NULL;
  void *piece = arena->now->bytes + arena->used;
  arena->used += size;
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
  arena->now = arena->first;
  arena->used = 0;
  arena->failed = false;
}

void arena_free(struct arena *arena) {
  while (arena->first) {
    struct arena_block *next = arena->first->next;
    free(arena->first);
    arena->first = next;
  }
  arena_rewind(arena);
}
