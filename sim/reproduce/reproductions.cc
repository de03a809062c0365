// SPDX-License-Identifier: GPL-2.0-or-later
// The list of reproductions: one line each, declared in front, listed below.
#include <array>

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

extern const Reproduction kDynpReproduction;

std::span<const Reproduction> all_reproductions() {
  static const std::array all{
      kDynpReproduction,
  };
  return all;
}

}  // namespace dfrs::sim
