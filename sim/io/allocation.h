// SPDX-License-Identifier: GPL-2.0-or-later
// Allocator settings for programs that read whole logs.
#pragma once

namespace dfrs::sim {

/// Keeps large freed blocks for reuse. A log's text, its records and the simulation's data follow each other, and with
/// this the kernel does not provide and clear new pages for each. Call this at the start of a program; it does nothing
/// if the C library has no such setting. The process keeps up to 256 MiB more than it needs.
void keep_freed_memory();

}  // namespace dfrs::sim
