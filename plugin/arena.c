/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { kBlock = 256 * 1024 };

struct arena_block {
  struct arena_block *next;
  size_t size;
  alignas(max_align_t) char bytes[];
};

void *arena_take(struct arena *arena, size_t size) {
  const size_t align = alignof(max_align_t);
  if (size > (size_t)-1 / 2) return NULL;
  size = (size + align - 1) / align * align;
  while (arena->now && arena->now->size - arena->used < size && arena->now->next) {
    arena->now = arena->now->next;
    arena->used = 0;
  }
  if (!arena->now || arena->now->size - arena->used < size) {
    const size_t room = size > kBlock ? size : kBlock;
    struct arena_block *block = malloc(sizeof(*block) + room);
    if (!block) return NULL;
    block->next = NULL;
    block->size = room;
    if (arena->now)
      arena->now->next = block;
    else
      arena->first = block;
    arena->now = block;
    arena->used = 0;
  }
  void *piece = arena->now->bytes + arena->used;
  arena->used += size;
  return piece;
}

const char *arena_text(struct arena *arena, const char *text) {
  if (!text) return NULL;
  const size_t size = strlen(text) + 1;
  char *copy = arena_take(arena, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void arena_rewind(struct arena *arena) {
  arena->now = arena->first;
  arena->used = 0;
}

void arena_free(struct arena *arena) {
  while (arena->first) {
    struct arena_block *next = arena->first->next;
    free(arena->first);
    arena->first = next;
  }
  arena->now = NULL;
  arena->used = 0;
}
