// SPDX-License-Identifier: GPL-2.0-or-later
// The list of reproductions: one line each, declared in front, listed below.
#include <array>

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

extern const Reproduction kRr5724;
extern const Reproduction ipdps2010_reproduction;
extern const Reproduction kGangCloud;

std::span<const Reproduction> all_reproductions() {
  static const Reproduction all[]{kRr5724, ipdps2010_reproduction, kGangCloud};
  return all;
}

}  // namespace dfrs::sim
