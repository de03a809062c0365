// SPDX-License-Identifier: GPL-2.0-or-later
// The list of reproductions: one line each, declared in front, listed below.
#include <array>

#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/rr5724.h"

namespace dfrs::sim {

std::span<const Reproduction> all_reproductions() {
  static const std::array kAll{
      kRr5724,
  };
  return kAll;
}

}  // namespace dfrs::sim
