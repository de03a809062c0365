/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that is allocated in pieces and released as a whole. Pieces do not move.
 *
 * A failure persists: once memory is short, all pieces are NULL until arena_rewind(). A caller that writes only to
 * pieces that are not NULL may thus check once, at the end.
 */
#ifndef DFRS_PLUGIN_ARENA_H
#define DFRS_PLUGIN_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena {
  struct arena_block *first; /* the one in use; older ones are full */
  size_t used;               /* of the first block */
  size_t taken;              /* of all blocks, since the last rewind */
  bool failed;
};

/* `count` pieces of `size` bytes in a row, at least one. Aligned for any type, and not cleared. NULL: no memory. */
void *arena_take(struct arena *arena, size_t count, size_t size);
/* A copy of the text. NULL for NULL, or when there is no memory. */
const char *arena_text(struct arena *arena, const char *text);
/* Whether an allocation has failed since the last rewind. */
bool arena_failed(const struct arena *arena);
/* Releases all pieces. Keeps memory for as many, in one block, and gives back all else. O(blocks). */
void arena_rewind(struct arena *arena);
/* Releases all pieces and frees the blocks. */
void arena_free(struct arena *arena);

#endif
