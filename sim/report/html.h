// SPDX-License-Identifier: GPL-2.0-or-later
// The report of a campaign as one HTML file that needs nothing else: no scripts, no network, figures inside.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/campaign/results.h"
#include "sim/report/summary.h"

namespace dfrs::sim {

struct ReportOptions {
  std::string title = "Scheduling algorithms compared";
  std::string subtitle;  ///< such as where the workload is from; empty: none
  /// Options of the campaign, name and value, as the reader should see them ("rescheduling penalty", "300 s").
  std::vector<std::pair<std::string, std::string>> settings;
  SummaryOptions summary;
  bool charts = true;   ///< false: leave them out without a word
  std::string gnuplot;  ///< full path; empty: looked for in PATH
};

/// Title, what was compared, the verdict in words, the table, charts, results per instance, glossary. The same input
/// gives the same bytes with the same gnuplot. Without gnuplot, or if it fails, the report has no charts and says why
/// and how to get them. All texts may hold anything: they are escaped. Errors: as of summarize_campaign.
std::string html_report(const std::vector<ResultRow>& rows, const ReportOptions& options = {});

}  // namespace dfrs::sim
