// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "shim/agent/page_out.h"

namespace dfrs::shim {

/// No process is ever stopped, so nothing is moved out.
class NoPageOut final : public PageOutSystem {
 public:
  std::vector<MemoryRange> ranges(pid_t) override { return {}; }
  bool stopped(pid_t) override { return false; }
  SwapSpace swap() override { return {}; }
  ProcessMemory memory(pid_t) override { return {}; }
  tl::expected<std::uint64_t, int> advise(pid_t, MemoryRange) override { return tl::unexpected(0); }
};

}  // namespace dfrs::shim
