// SPDX-License-Identifier: GPL-2.0-or-later
// In which order MCB8 takes jobs with equal requirements. The papers do not say it.
#pragma once

#include <array>
#include <string_view>

namespace dfrs {

enum class Ties {
  oldest,    ///< the earliest submission first
  newest,    ///< the latest submission first
  priority,  ///< by priority; among equal ones the earliest submission first
};

struct TiesName {
  std::string_view part;
  Ties ties;
};
/// The part of an algorithm's name that asks for an order other than Ties::oldest.
inline constexpr std::array<TiesName, 2> kTiesNames{{{"TIES=PRIORITY", Ties::priority}, {"TIES=NEWEST", Ties::newest}}};

}  // namespace dfrs
