// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the evaluation of Triage: what each needs and what it shows. Each kind has its own file.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/triage/sets.h"
#include "sim/reproduce/triage/study.h"

namespace dfrs::sim::triage_study {

/// Triage, and the two simpler settings that it extends.
inline constexpr std::array<std::string_view, 3> kSettings{kTriage, "Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=FEW",
                                                           "Triage/PLACE=LOAD/YIELD=EQUAL/MOVE=NONE"};
inline constexpr std::string_view kBatch = "EASY";
/// EASY with nodes shared by what jobs ask for: the underutilization to compare with.
inline constexpr std::string_view kSharedBatch = "EASY/shared";
/// What is left to gain: it knows run times.
inline constexpr std::string_view kYardstick = "clairvoyant/Triage";
/// The best published algorithm by RR-7659's table 2, and its siblings, which may be better under other conditions.
inline constexpr std::array<std::string_view, 4> kBestPublished{
    "GreedyPM*/per/OPT=MIN/MINVT=600", "GreedyP*/per/OPT=MIN/MINVT=600", "GreedyPM*/per/OPT=MIN/MINVT=300",
    "GreedyP*/per/OPT=MIN/MINVT=300"};

/// Triage's settings, the yardstick, EASY with and without shared nodes, and all other algorithms of RR-7659's table 2.
std::vector<std::string_view> all_compared();
/// A log of those below by the part that shows it.
const PlainLog& log_of(std::string_view part);

using Need = void(std::string_view part, Sets& sets, Study& study);
using Show = Result<void>(std::string_view part, Sets& sets, const Study& study, ReproductionReport& report);

Need need_weeks;  ///< weeks, weeks-split, weeks-curve
Show show_weeks;
Show show_weeks_split;
Show show_weeks_curve;
Need need_weeks_free;  ///< weeks-free
Show show_weeks_free;
Need need_lublin;  ///< lublin
Show show_lublin;
Need need_scaled;  ///< lublin-scaled
Show show_scaled;
Need need_loads;  ///< lublin-loads, lublin-load-costs
Show show_loads;
Show show_load_costs;
Need need_log;  ///< logs-ctc, logs-kth, logs-sdsc
Show show_log;
Need need_robust;  ///< robust-weeks, robust-lublin
Show show_robust;
Need need_penalties;  ///< robust-penalty
Show show_penalties;
Need need_periods;  ///< robust-period
Show show_periods;
Need need_worlds;  ///< worlds-weeks, worlds-lublin, worlds-ctc, worlds-kth, worlds-robust
Show show_worlds;
Need need_swap;  ///< swap
Show show_swap;
Need need_optimum;  ///< optimum, optimum-weeks
Show show_optimum;
Show show_optimum_weeks;
Need need_mixed;  ///< mixed-curve, mixed-median, mixed-lost
Show show_mixed;
Need need_losses;  ///< losses-...
Show show_losses;
Need need_sensitivity;  ///< sensitivity-...
Show show_sensitivity;
Need need_all_sensitivity;  ///< sensitivity-all
Show show_all_sensitivity;

/// Number of Lublin workloads in the papers.
inline constexpr std::size_t kWorkloads = 100;
/// For parts with many cases: every sixth week, and few of the workloads.
inline constexpr std::size_t kEveryWeek = 6;
inline constexpr std::size_t kFewWorkloads = 20;
inline constexpr std::array<double, 9> kLoads{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

/// Values of all rows.
std::vector<double> values_of(std::span<const ResultRow> rows, double (*value)(const ResultRow&));
double degradation_of(const ResultRow& row);
double underutilization_of(const ResultRow& row);

/// Whether HPC2N's weeks, `set`, are there. Notes what they are, or that their log is missing.
bool available(std::string_view part, const InstanceSet& set, const Sets& sets, ReproductionReport& report);

/// Adds a cell with the mean of a value over the rows, and its interval. `traces` as ReproductionReport::add_mean().
void add_mean_of(ReproductionReport& report, std::string_view part, std::string_view row, std::string_view column,
                 std::span<const ResultRow> rows, double (*value)(const ResultRow&), std::size_t traces = 0);

/// Adds a row with the columns of every comparison: degradation avg., std., median, p90, max; underutilization, pauses
/// and moves per job, GB/s. `traces` as add_mean_of().
void add_figures(ReproductionReport& report, std::string_view part, std::string_view row,
                 std::span<const ResultRow> rows, std::size_t traces = 0);

/// Adds a note that explains those columns.
void note_figures(ReproductionReport& report, std::string_view part);

}  // namespace dfrs::sim::triage_study
