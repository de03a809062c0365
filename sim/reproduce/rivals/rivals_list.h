// SPDX-License-Identifier: GPL-2.0-or-later
// Who is compared. A new rival is a policy (a file and its line in policy/registry.mk) and a line here.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "record/pause_world.h"

namespace dfrs::sim::rivals {

struct Rival {
  std::string_view algorithm;
  std::string_view kind;
  bool plans = false;                                      ///< goes by estimates of run times
  record::PauseEffect pauses = record::PauseEffect::kept;  ///< what a pause does to the jobs
  std::string_view label = algorithm;                      ///< of its row
};

inline constexpr std::string_view kTriage = "Triage";

inline constexpr std::array kRivals{
    Rival{"FCFS", "whole nodes"},
    Rival{"EASY", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=SJF", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=SAF", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=LJF", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=XF", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=F1", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=F2", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=F3", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=F4", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=WFP3", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=UNICEF", "whole nodes, backfilling", true},
    Rival{"EASY/head=SJF/backfill=SJF", "whole nodes, backfilling", true},
    Rival{"EASY/head=SAF/backfill=SAF", "whole nodes, backfilling", true},
    Rival{"EASY/head=LJF/backfill=LJF", "whole nodes, backfilling", true},
    Rival{"EASY/head=XF/backfill=XF", "whole nodes, backfilling", true},
    Rival{"EASY/head=F1/backfill=F1", "whole nodes, backfilling", true},
    Rival{"EASY/head=F2/backfill=F2", "whole nodes, backfilling", true},
    Rival{"EASY/head=F3/backfill=F3", "whole nodes, backfilling", true},
    Rival{"EASY/head=F4/backfill=F4", "whole nodes, backfilling", true},
    Rival{"EASY/head=WFP3/backfill=WFP3", "whole nodes, backfilling", true},
    Rival{"EASY/head=UNICEF/backfill=UNICEF", "whole nodes, backfilling", true},
    Rival{"FCFS/conservative", "whole nodes, backfilling", true},
    Rival{"SJF/conservative", "whole nodes, backfilling", true},
    Rival{"EASY/backfill=SJF/predict=double", "predicted run times", true},
    Rival{"EASY/backfill=SJF/predict=tsafrir", "predicted run times", true},
    Rival{"EASY/backfill=SJF/predict=mean/correct=steps", "predicted run times", true},
    Rival{"EASY/backfill=SJF/predict=q90/correct=steps", "predicted run times", true},
    Rival{"EASY/backfill=SJF/predict=sc15/correct=steps", "predicted run times", true},
    Rival{"EASY/shared", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/backfill=SJF", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=SJF/backfill=SJF", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=SAF/backfill=SAF", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=LJF/backfill=LJF", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=XF/backfill=XF", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=F1/backfill=F1", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=F2/backfill=F2", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=F3/backfill=F3", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=F4/backfill=F4", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=WFP3/backfill=WFP3", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/head=UNICEF/backfill=UNICEF", "shared nodes, no CPU shared", true},
    Rival{"EASY/shared/backfill=SJF/predict=tsafrir", "shared nodes, no CPU shared", true},
    Rival{"LAS/queues=2", "pauses, nothing shared"},
    Rival{"LAS/queues=3", "pauses, nothing shared"},
    Rival{"LAS/queues=4", "pauses, nothing shared"},
    Rival{"MLF/queues=4", "pauses, nothing shared"},
    Rival{"EASY/shared/jobs=2", "CPU shared, no pauses", true},
    Rival{"EASY/shared/jobs=2/backfill=SJF", "CPU shared, no pauses", true},
    Rival{"EASY/shared/jobs=4", "CPU shared, no pauses", true},
    Rival{"GANG/jobs=2", "CPU shared, no pauses"},
    Rival{"GANG/jobs=4", "CPU shared, no pauses"},
    Rival{"Greedy*", "CPU shared, no pauses"},
    Rival{"Triage/MOVE=NONE/PAUSE=NONE", "CPU shared, no pauses"},
    Rival{kTriage, "CPU shared, no pauses", false, record::PauseEffect::none, "Triage, no pauses"},
    Rival{"GreedyP*", "DFRS, published"},
    Rival{"GreedyPM*", "DFRS, published"},
    Rival{"GreedyP*/per/MINVT=600", "DFRS, published"},
    Rival{"GreedyPM*/per/MINVT=600", "DFRS, published"},
    Rival{"MCB8*/MINVT=600", "DFRS, published"},
    Rival{kTriage, "Triage, a pause loses the run", false, record::PauseEffect::lost, "Triage, pauses lose work"},
    Rival{kTriage, "Triage"},
    Rival{"yardstick/SRPT", "yardstick: knows run times"},
    Rival{"yardstick/SWRPT", "yardstick: knows run times"},
    Rival{"clairvoyant/Triage", "yardstick: knows run times"},
};

/// From EASY to Triage: each step adds one thing to an earlier one.
struct GainStep {
  std::string_view adds;
  std::string_view algorithm;
  std::size_t to;  ///< the step that it changes, by its place here
};
inline constexpr std::array kGainSteps{
    GainStep{"EASY", "EASY", 0},
    GainStep{"order: shortest request first", "EASY/backfill=SJF", 0},
    GainStep{"pauses alone", "LAS/queues=2", 0},
    GainStep{"parts of nodes", "EASY/shared", 0},
    GainStep{"sharing CPU alone", "Greedy*", 3},
    GainStep{"sharing and pauses", "GreedyP*", 4},
    GainStep{"urgency decides who pauses", "Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=NONE", 5},
    GainStep{"placement by harm", "Triage/YIELD=EQUAL/MOVE=NONE", 6},
    GainStep{"yields by urgency", "Triage/MOVE=NONE", 7},
    GainStep{"moves that pay", kTriage, 8},
};

}  // namespace dfrs::sim::rivals
