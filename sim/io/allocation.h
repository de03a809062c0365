// SPDX-License-Identifier: GPL-2.0-or-later
// How programs that read whole logs ask the allocator to treat what they free.
#pragma once

namespace dfrs::sim {

/// Blocks of some MiB that are freed are kept for the next: the text of a log, its records and what is simulated come
/// one after the other, and the kernel need not provide and clear new pages for each. To be called at the start of
/// a program; does nothing where the C library has no such setting. The process keeps up to 256 MiB more than it needs.
void keep_freed_memory();

}  // namespace dfrs::sim
