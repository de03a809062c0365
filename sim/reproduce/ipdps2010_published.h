// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of Stillwell, Vivien, Casanova, "Dynamic Fractional Resource Scheduling for HPC Workloads", IPDPS 2010.
#pragma once

#include <array>
#include <string_view>

namespace dfrs::sim::ipdps2010 {

struct Spread {
  double average, deviation, most;
};

/// Table I: degradation from the best algorithm, rescheduling penalty 5 minutes.
struct Degradation {
  std::string_view algorithm;
  Spread scaled, unscaled, hpc2n;
};
inline constexpr std::array<Degradation, 9> kTable1{
    {{"FCFS", {435.32, 239.37, 1470.30}, {448.74, 238.38, 1128.44}, {469.51, 581.12, 4422.00}},
     {"EASY", {392.78, 227.85, 1454.26}, {410.06, 226.41, 989.91}, {402.93, 500.13, 3136.92}},
     {"GREEDY", {284.07, 222.33, 2288.65}, {239.76, 217.47, 1128.32}, {134.32, 268.66, 2129.98}},
     {"GREEDY-PMTN", {9.45, 41.30, 509.05}, {3.28, 10.59, 84.16}, {1.72, 6.63, 89.54}},
     {"GREEDY-PMTN-MIGR", {10.86, 46.35, 509.04}, {3.61, 13.81, 102.69}, {1.77, 6.87, 92.87}},
     {"DYNMCB8", {108.78, 183.77, 1435.44}, {36.95, 32.16, 162.33}, {67.19, 229.96, 2241.83}},
     {"DYNMCB8-PER", {3.55, 2.62, 16.38}, {4.83, 3.90, 21.30}, {14.73, 64.41, 668.24}},
     {"DYNMCB8-ASAP-PER", {2.62, 1.66, 12.77}, {3.28, 2.03, 11.00}, {4.23, 3.05, 24.68}},
     {"DYNMCB8-STRETCH-PER", {3.59, 2.53, 16.38}, {4.89, 3.77, 20.97}, {16.01, 78.24, 900.45}}}};

struct Cost {
  double average, most;
};

/// Table II: costs of pausing and moving on the scaled synthetic workloads of load 0.7 and more.
struct Costs {
  std::string_view algorithm;
  Cost pause_gb_per_s, move_gb_per_s, pauses_per_hour, moves_per_hour, pauses_per_job, moves_per_job;
};
inline constexpr std::array<Costs, 6> kTable2{
    {{"GREEDY-PMTN", {0.10, 0.27}, {0.00, 0.00}, {12.26, 39.24}, {0.00, 0.00}, {1.26, 4.44}, {0.00, 0.00}},
     {"GREEDY-PMTN-MIGR", {0.05, 0.14}, {0.03, 0.12}, {5.42, 20.88}, {8.99, 34.56}, {0.58, 2.64}, {0.90, 2.58}},
     {"DYNMCB8", {0.53, 1.48}, {1.46, 2.90}, {84.99, 294.48}, {604.55, 1329.84}, {9.32, 23.61}, {71.54, 110.19}},
     {"DYNMCB8-PER", {0.60, 1.31}, {0.26, 0.77}, {45.58, 110.16}, {48.80, 141.84}, {7.63, 32.32}, {6.18, 20.77}},
     {"DYNMCB8-ASAP-PER", {0.59, 1.34}, {0.27, 0.77}, {44.05, 105.84}, {49.16, 142.92}, {7.33, 30.87}, {6.08, 20.35}},
     {"DYNMCB8-STRETCH-PER",
      {0.38, 0.87},
      {0.51, 1.11},
      {33.78, 76.32},
      {88.32, 197.64},
      {7.15, 27.68},
      {16.11, 40.61}}}};

/// Values that section V gives in words for figure 1 (a), whose curves have no values in the text: averages over all
/// loads, without a penalty.
inline constexpr double kDynmcb8WithoutPenalty = 1.16;
inline constexpr double kEasyOverGreedyPmtn = 28;
inline constexpr double kGreedyPmtnOverDynmcb8Per = 4.5;

}  // namespace dfrs::sim::ipdps2010
