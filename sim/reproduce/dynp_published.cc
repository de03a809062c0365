// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/dynp_published.h"

namespace dfrs::sim::dynp_published {

const std::array<PropertyRow, kProperties> kPropertyRows{{
    {"number of jobs", {79302, 28490, 35094, 67667}, {10000, 10000, 10000, 10000}},
    {"maximum job width", {336, 100, 96, 128}, {330, 100, 96, 128}},
    {"width of machine (batch)", {430, 100, 96, 352}, {430, 100, 96, 352}},
    {"average requested resources", {10.72, 7.68, 6.34, 10.53}, {10.67, 7.73, 6.48, 10.71}},
    {"estimated runtime, avg [s]", {24324, 13677, 11716, 14337}, {24260, 13643, 11516, 14305}},
    {"estimated runtime, min [s]", {0, 60, 1, 0}, {0, 60, 1, 0}},
    {"estimated runtime, max [s]", {64800, 216000, 1209600, 172800}, {64800, 216000, 604800, 64800}},
    {"actual runtime, avg [s]", {10983, 8876, 4346, 6119}, {10924, 9060, 4442, 6085}},
    {"actual runtime, min [s]", {0, 0, 1, 0}, {0, 0, 1, 0}},
    {"actual runtime, max [s]", {71998, 226709, 604800, 510209}, {71998, 215965, 604800, 64884}},
    {"jobs with actual > estimated runtime", {7180, 478, 0, 4327}, {929, 178, 0, 640}},
    {"interarrival time, avg [s]", {369, 1031, 870, 934}, {287, 1047, 1013, 945}},
    {"interarrival time, min [s]", {0, 0, 0, 0}, {0, 0, 0, 0}},
    {"interarrival time, max [s]", {164472, 327952, 313861, 79503}, {24815, 191258, 236546, 76019}},
    {"Weibull alpha", {0.35, 0.35, 0.25, 0.4}, {0.35, 0.35, 0.25, 0.4}},
    {"Weibull beta", {60, 200, 40, 290}, {60, 200, 40, 290}},
}};

const std::array<std::array<std::array<double, kColumns>, kTable4Rows>, kSets> kTable4{{
    {{{25980, 21912, 26082, 21648, 27268, 25829},
      {75.36, 75.70, 74.02, 74.96, 75.64, 75.08},
      {0.12650, 0.10911, 0.13731, 0.12099, 0.09054, 0.10395},
      {2703, 6115, 2472, 5860, 130, 551},
      {6817, 1296, 6418, 1144, 5295, 953},
      {477, 2586, 1107, 2993, 4572, 8493}}},
    {{{48077, 33299, 49301, 40663, 50497, 50395},
      {66.00, 65.64, 66.01, 65.64, 66.14, 66.11},
      {0.16398, 0.16456, 0.17121, 0.18386, 0.16588, 0.16629},
      {2865, 7885, 2768, 5730, 142, 322},
      {6854, 1345, 6313, 1313, 5951, 686},
      {278, 767, 916, 2954, 3904, 8989}}},
    {{{43124, 31493, 42795, 31994, 47747, 47260},
      {42.60, 42.49, 42.60, 42.58, 42.60, 42.60},
      {0.22423, 0.23792, 0.22147, 0.23937, 0.22724, 0.22722},
      {2553, 7550, 2615, 6651, 65, 391},
      {7344, 1062, 7106, 766, 6789, 229},
      {103, 1388, 279, 2673, 3146, 9380}}},
    {{{9969, 9936, 9963, 9921, 9982, 9991},
      {31.32, 31.32, 31.32, 31.32, 31.32, 31.32},
      {0.00133, 0.00119, 0.00135, 0.00124, 0.00135, 0.00135},
      {317, 3924, 309, 1031, 1, 0},
      {9561, 4206, 9517, 4797, 9570, 3087},
      {121, 1869, 173, 4171, 428, 6912}}},
}};

const std::array<DetailRow, 15> kTable5{{
    {"average actual runtime [s]", {10927, 9063, 4442, 6085}},
    {"average wait time [s]", {3178, 6925, 4577, 44.02}},
    {"ART [s]", {14105, 15989, 9018, 6129}},
    {"ARTwW [s]", {21912, 33299, 31493, 9936}},
    {"utilization [%]", {75.70, 65.64, 42.49, 31.32}},
    {"LOC", {0.10911, 0.16456, 0.23792, 0.00119}},
    {"jobs started with SJF", {6115, 7885, 7550, 3924}},
    {"jobs started with FCFS", {1296, 1345, 1062, 4206}},
    {"jobs started with LJF", {2586, 767, 1388, 1869}},
    {"total tries of switches", {16946, 18840, 15552, 509}},
    {"switches to SJF [%]", {4.49, 5.80, 3.61, 3.73}},
    {"switches to FCFS [%]", {4.59, 5.85, 3.64, 3.93}},
    {"switches to LJF [%]", {0.59, 0.45, 0.23, 0.98}},
    {"same policy [%]", {90.32, 87.92, 92.52, 91.36}},
    {"average backlog at start of self-tuning", {22.05, 14.48, 15.04, 6.36}},
}};

const std::array<DetailRow, 18> kTable6{{
    {"case 1", {2549, 1693, 2209, 271}},
    {"cases 2 & 7", {1324, 1756, 920, 27}},
    {"cases 3 & 9", {692, 1029, 535, 15}},
    {"cases 4b & 5", {1298, 403, 304, 31}},
    {"case 4a", {5, 5, 2, 1}},
    {"case 4c", {4, 3, 0, 0}},
    {"case 6a", {81, 116, 58, 8}},
    {"case 6b", {10669, 13664, 11449, 150}},
    {"case 6c", {100, 81, 36, 5}},
    {"case 8a", {224, 89, 39, 1}},
    {"case 8b", {0, 1, 0, 0}},
    {"case 8c", {0, 0, 0, 0}},
    {"case 10a", {0, 0, 0, 0}},
    {"case 10b", {37, 26, 17, 1}},
    {"case 10c", {0, 0, 0, 0}},
    {"total", {16946, 18840, 15552, 509}},
    {"differences to the simple decider", {13218, 15357, 13658, 421}},
    {"taking the current policy", {14858, 15932, 14076, 462}},
}};

const std::array<FigurePoint, 4> kFigurePoints{{
    {"figure4a", 1.0, 20000},
    {"figure4a", 0.7, 145212},
    {"figure6a", 1.0, 20000},
    {"figure6a", 0.7, 102725},
}};

JobSetProperties properties_of(std::size_t set) {
  const auto value = [&](Property property) { return kPropertyRows[property].sets[set]; };
  JobSetProperties p;
  p.name = kMachines[set];
  p.machine_width = static_cast<int>(value(kMachineWidth));
  p.max_width = static_cast<int>(value(kMaxWidth));
  p.mean_width = value(kMeanWidth);
  p.mean_estimate = value(kMeanEstimate);
  p.max_estimate = value(kMaxEstimate);
  p.mean_run_time = value(kMeanRunTime);
  p.overrun_share = value(kOverruns) / value(kJobs);
  p.mean_interarrival = value(kMeanInterarrival);
  p.arrivals = {value(kAlpha), value(kBeta)};
  // UTIL of the advanced decider with ARTwW. Far below saturation it is a property of the job set.
  p.utilization = kTable4[set][1][1] / 100;
  return p;
}

}  // namespace dfrs::sim::dynp_published
