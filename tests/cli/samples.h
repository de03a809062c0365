// SPDX-License-Identifier: GPL-2.0-or-later
// Small workloads that tests write out or feed to standard input.
#pragma once

#include <string>

namespace dfrs::sim {

/// An SWF line: job number, submission, run time, processors, requested time, memory in KB per processor.
inline std::string swf_line(int job, double submit, double run_time, int processors, double requested = -1,
                            double memory_kb = -1) {
  const auto number = [](double value) { return std::to_string(static_cast<long long>(value)); };
  return std::to_string(job) + " " + number(submit) + " -1 " + number(run_time) + " " + std::to_string(processors) +
         " -1 " + number(memory_kb) + " " + std::to_string(processors) + " " + number(requested) +
         " -1 1 1 1 -1 -1 -1 -1 -1\n";
}

/// Three jobs on a machine of four processors.
inline std::string small_swf() {
  return "; Version: 2.2\n; MaxProcs: 4\n" + swf_line(1, 0, 100, 4, 200) + swf_line(2, 10, 50, 2, 60) +
         swf_line(3, 20, 1, 1, 10);
}

/// Two nodes, three jobs; by hand: the first two share nothing, the third needs memory of both nodes.
inline std::string small_trace() {
  return "; dfrs-trace: 1\n; Name: small\n; Nodes: 2 cpu 1 memory 1000\n"
         "1 0 2 1 500 100 100\n2 10 1 0.5 400 50 60\n3 20 2 0.25 600 30 30\n";
}

}  // namespace dfrs::sim
