// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs a repack may not move.
#pragma once

#include "policy/core/view.h"

namespace dfrs {

/// Which running jobs keep their nodes in a repack (RR-7659, section 4.3, "Limiting Migration").
struct RemapLimit {
  enum class Kind {
    none,
    min_flow_time,     ///< MINFT: jobs whose flow time is below the bound
    min_virtual_time,  ///< MINVT: jobs whose virtual time is below the bound
  };
  Kind kind = Kind::none;
  Seconds bound = 0;

  bool keeps(const JobView& job, Seconds now) const {
    switch (kind) {
      case Kind::none:
        return false;
      case Kind::min_flow_time:
        return job.flow_time(now) < bound;
      case Kind::min_virtual_time:
        return job.virtual_time(now) < bound;
    }
    return false;
  }
};

}  // namespace dfrs
