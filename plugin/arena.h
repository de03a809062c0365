/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that is handed out piece by piece and taken back as a whole. Pieces do not move.
 */
#ifndef DFRS_PLUGIN_ARENA_H
#define DFRS_PLUGIN_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
  struct arena_block *first, *now;
  size_t used; /* of the block in use */
};

/* NULL: no memory. Aligned for any type. Not cleared. */
void *arena_take(struct arena *arena, size_t size);
/* A copy of the text; NULL for NULL, or when there is no memory. */
const char *arena_text(struct arena *arena, const char *text);
/* All pieces are void; the blocks are kept for the next ones. O(1). */
void arena_rewind(struct arena *arena);
/* The blocks, too. */
void arena_free(struct arena *arena);

#endif
