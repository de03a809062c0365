// SPDX-License-Identifier: GPL-2.0-or-later
// How long a job waits after Slurm has refused to start it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/core/units.h"

namespace dfrs::shim {

/// `first`, doubled for each earlier refusal, at most `last`. `refusals` counts this one: >= 1.
inline Seconds back_off(std::uint32_t refusals, Seconds first, Seconds last) {
  Seconds wait = first;
  for (std::uint32_t k = 1; k < refusals && wait < last; ++k) wait *= 2;
  return std::min(wait, last);
}

}  // namespace dfrs::shim
