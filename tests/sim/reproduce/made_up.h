// SPDX-License-Identifier: GPL-2.0-or-later
// A made-up reproduction for tests of the renderings.
#pragma once

#include <array>

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

inline constexpr std::array<ReproductionPart, 3> kMadeUpParts{
    {{"table1", "Degradation, both sets"}, {"table2", "Costs"}, {"figure1a", "Degradation against load"}}};

inline constexpr Reproduction kMadeUp{"made-up", "Nobody, A paper, 2011", kMadeUpParts, nullptr};

inline constexpr std::array<Reproduction, 2> kTwo{
    {kMadeUp, {"other", "Somebody, Another paper, 2012", kMadeUpParts, nullptr}}};

/// table1: two algorithms, "avg." with published figures 10.5 and 4, "max" without; figure1a over the loads 0.1 and
/// 0.9.
inline ReproductionReport made_up_report() {
  ReproductionReport report;
  report.add({"table1", "EASY", "avg.", 10.5, 12.6});
  report.add({"table1", "EASY", "max", std::nullopt, 200});
  report.add({"table1", "GreedyP*", "avg.", 4, 3.96});
  report.add({"table1", "GreedyP*", "max", std::nullopt, 7.25});
  report.note("table1", "Two instances instead of 182.");
  report.note("table2", "Left out: there is no log.");
  report.note("", "Seed 1.");
  for (const char* load : {"0.1", "0.9"}) {
    report.add({"figure1a", load, "EASY", std::nullopt, 100});
    report.add({"figure1a", load, "GreedyP*", load[2] == '1' ? std::optional(2.0) : std::nullopt, 4});
  }
  report.plot({"figure1a", "load", "degradation from bound", false, true});
  return report;
}

}  // namespace dfrs::sim
