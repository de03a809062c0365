// SPDX-License-Identifier: GPL-2.0-or-later
// The report of a campaign as a self-contained HTML file: no scripts, no network, charts embedded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/campaign/results.h"
#include "sim/report/summary.h"

namespace dfrs::sim {

struct ReportOptions {
  std::string title = "Scheduling algorithms compared";
  std::string subtitle;  ///< such as the source of the workload; empty: none
  /// Options of the campaign, name and value, as shown to the reader ("rescheduling penalty", "300 s").
  std::vector<std::pair<std::string, std::string>> settings;
  SummaryOptions summary;
  bool charts = true;   ///< false: omit them silently
  std::string gnuplot;  ///< full path; empty: search PATH
};

/// Contains what was compared, the verdict in words, the table, charts, what made the results, results per instance and
/// a glossary. The same input gives the same bytes with the same gnuplot. If gnuplot is missing or fails, the report
/// says why it has no charts and how to get them. All texts are escaped. Errors: those of summarize_campaign.
Result<std::string> html_report(const std::vector<ResultRow>& rows, const ReportOptions& options = {});

}  // namespace dfrs::sim
