// SPDX-License-Identifier: GPL-2.0-or-later
// What /proc says about processes and the machine's swap. `proc` is "/proc" except in tests. A process that is gone or
// not visible counts as zero.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::shim {

struct ProcessMemory {
  std::uint64_t resident_kib = 0;
  std::uint64_t swap_kib = 0;
};
ProcessMemory process_memory(const std::string& proc, pid_t pid);

/// CPU time in seconds of all its present threads.
double process_cpu_seconds(const std::string& proc, pid_t pid);

/// The letter of its state: 'R', 'S', 'D', 'T' (stopped by a signal), 't' (by a debugger), 'Z', ...; '\0' if it is
/// gone.
char process_state(const std::string& proc, pid_t pid);
/// Whether it is stopped, by a signal (as Slurm suspends jobs) or by a debugger.
bool process_stopped(const std::string& proc, pid_t pid);

struct SwapSpace {
  std::uint64_t total_kib = 0;
  std::uint64_t free_kib = 0;
};
SwapSpace swap_space(const std::string& proc);

/// A part of an address space.
struct MemoryRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};
/// The private mappings in the text of /proc/PID/maps. Others may use shared ones; the kernel's (vdso) cannot be moved.
std::vector<MemoryRange> private_ranges(std::string_view maps);

}  // namespace dfrs::shim
