// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of A. Streit, "A Self-Tuning Job Scheduler Family with Dynamic Policy Switching", JSSPP 2003.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/workload/streit.h"

namespace dfrs::sim::dynp_published {

inline constexpr std::size_t kSets = 4;
inline constexpr std::array<std::string_view, kSets> kMachines{"CTC", "KTH", "PC2", "SDSC"};

/// A line of tables 2 and 3, by machine.
struct PropertyRow {
  std::string_view name;
  std::array<double, kSets> traces;  ///< table 2
  std::array<double, kSets> sets;    ///< table 3; the Weibull parameters are table 2's
};
/// In this order.
enum Property : std::size_t {
  kJobs,
  kMaxWidth,
  kMachineWidth,
  kMeanWidth,
  kMeanEstimate,
  kMinEstimate,
  kMaxEstimate,
  kMeanRunTime,
  kMinRunTime,
  kMaxRunTime,
  kOverruns,
  kMeanInterarrival,
  kMinInterarrival,
  kMaxInterarrival,
  kAlpha,
  kBeta,
  kProperties,
};
extern const std::array<PropertyRow, kProperties> kPropertyRows;

/// Tables 4 to 6 by decider and quality, in the order of table 4.
inline constexpr std::size_t kColumns = 6;
inline constexpr std::array<std::string_view, kColumns> kColumnNames{"simple ARTwW", "advanced ARTwW", "simple ART",
                                                                     "advanced ART", "simple MS",      "advanced MS"};
inline constexpr std::size_t kTable4Rows = 6;
inline constexpr std::array<std::string_view, kTable4Rows> kTable4Names{
    "ARTwW [s]", "UTIL [%]", "LOC", "jobs started with SJF", "jobs started with FCFS", "jobs started with LJF"};
extern const std::array<std::array<std::array<double, kColumns>, kTable4Rows>, kSets> kTable4;

/// A line of table 5 or 6, for the advanced decider with ARTwW.
struct DetailRow {
  std::string_view name;
  std::array<double, kSets> value;
};
extern const std::array<DetailRow, 15> kTable5;
extern const std::array<DetailRow, 18> kTable6;

/// Values of a figure's curves given in the text: CTC_syn, SJF with backfilling (section 5.2).
struct FigurePoint {
  std::string_view part;
  double factor;
  double value;
};
extern const std::array<FigurePoint, 4> kFigurePoints;
inline constexpr std::string_view kFigurePointColumn = "SJF";

/// The properties of table 3's job sets, with the utilization of table 4.
JobSetProperties properties_of(std::size_t set);

}  // namespace dfrs::sim::dynp_published
