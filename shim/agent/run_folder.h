// SPDX-License-Identifier: GPL-2.0-or-later
// The agent's folder on its node: the state that survives restarts, and the quotas for the SPANK plugin.
//
//   lock            held (flock) by the one agent of the node
//   desired.json    the desired state in force, as it was received
//   quotas          of each job its quota on this node, "JOB QUOTA PERIOD\n" in microseconds (as in cgroup v2's
//                   cpu.max). One file: a new one for each of a hundred jobs takes most of the time of a change.
//   group/<job>     v2: its control group, "INODE PATH\n"; the SPANK plugin writes it (plugin/job_group.h)
//
// Files are replaced atomically: a reader sees the old one or the new one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "base/files.h"
#include "shim/agent/cpu_max.h"
#include "shim/quota/protocol.h"

namespace dfrs::shim {

/// Messages are one line. For one thread at a time.
class RunFolder {
 public:
  /// Creates the folder and its parents where they are missing, and takes the lock. Error: another agent holds it, or
  /// the system's reason.
  static tl::expected<RunFolder, std::string> open(const std::string& path);

  /// Replaces desired.json.
  tl::expected<void, std::string> remember(const DesiredState& state);
  /// Reads desired.json; nothing if there is none. Error: the file is invalid or of another node; it is renamed to
  /// desired.json.damaged then.
  tl::expected<std::optional<DesiredState>, std::string> recall(const std::string& node);

  /// Replaces `quotas`, unless these are in it already.
  tl::expected<void, std::string> publish(const std::map<std::uint32_t, CpuMax>& quotas);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  base::Fd folder_;
  base::Fd lock_;
  std::optional<std::map<std::uint32_t, CpuMax>> published_;  // by this agent
};

}  // namespace dfrs::shim
