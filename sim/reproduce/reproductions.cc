// SPDX-License-Identifier: GPL-2.0-or-later
// The list of reproductions: one line each, declared in front, listed below.
#include <array>

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

extern const Reproduction kGangCloud;
extern const Reproduction kIpdps2010;

std::span<const Reproduction> all_reproductions() {
  static const Reproduction kAll[]{
      kIpdps2010,
      kGangCloud,
  };
  return kAll;
}

}  // namespace dfrs::sim
