// SPDX-License-Identifier: GPL-2.0-or-later
// What /proc shows of processes that CRIU could not dump, found without stopping them.
#pragma once

#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

/// Error: why these processes cannot be dumped, "process 12 (curl) holds a TCP connection to 10.1.2.3:443". first: of
/// their pid namespace, whose other namespaces they should be in. `proc` is "/proc" except in tests. O(their
/// descriptors and mappings, processes of the machine).
tl::expected<void, std::string> dry_check(const std::vector<pid_t>& processes, pid_t first,
                                          const std::string& proc = "/proc");

/// The first of these processes that has a file or a folder of /proc open, and which one: "process 12 (top) has
/// /proc/stat open". Empty: none has. A dump fails then, because it takes the program's own /proc away.
std::string proc_reader_of(const std::vector<pid_t>& processes, const std::string& proc = "/proc");

}  // namespace dfrs::shim
