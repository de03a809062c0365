// SPDX-License-Identifier: GPL-2.0-or-later
// What /proc shows of processes that CRIU could not dump, found without stopping them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace dfrs::shim {

/// Why these processes cannot be dumped: "process 12 (curl) holds a TCP connection to 10.1.2.3:443"; nothing: no reason
/// was found. first: of their pid namespace, whose other namespaces they should be in. `proc` is "/proc" except in
/// tests. O(their descriptors and mappings, processes of the machine).
std::optional<std::string> dry_check(const std::vector<pid_t>& processes, pid_t first,
                                     const std::string& proc = "/proc");

}  // namespace dfrs::shim
