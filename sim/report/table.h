// SPDX-License-Identifier: GPL-2.0-or-later
// The summary of a campaign as text for a terminal, Markdown, CSV and JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/report/summary.h"

namespace dfrs::sim {

/// A table ready to show: numbers are formatted and names printable, but nothing is escaped for markup.
struct ReportTable {
  struct Column {
    std::string group;  ///< heading over several columns; empty if none
    std::string heading;
  };
  struct Row {
    std::vector<std::string> cells;  ///< the algorithm first, then a number per column
    bool best = false;
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::size_t best_column = 1;     ///< the column that `best` refers to
  std::vector<std::string> notes;  ///< sentences for below the table
};

/// Columns: degradation from bound (avg and its interval, std, median, p90, max), the paired difference from the best
/// algorithm with its interval, mean stretch, underutilization, pauses and moves per job, and memory traffic. With one
/// instance, degradation, max stretch, bound, mean stretch and mean wait replace the
/// statistics.
ReportTable summary_table(const CampaignSummary& summary);

enum class SummaryFormat { text, markdown, csv, json };

/// Parses "text", "markdown", "csv" or "json". Errors: kExitUsage naming these.
Result<SummaryFormat> parse_summary_format(std::string_view name);

/// Aligned columns, numbers to the right, "> " before the best average, and a legend below.
std::string text_summary(const CampaignSummary& summary);
/// The best average in bold. Names are escaped.
std::string markdown_summary(const CampaignSummary& summary);
/// A line per algorithm with all digits and the columns of an AlgorithmSummary, for any number of instances.
std::string csv_summary(const CampaignSummary& summary);
/// The same as an object: {"instances", "jobs", "load", "algorithms": [...]}.
std::string json_summary(const CampaignSummary& summary);

std::string render_summary(const CampaignSummary& summary, SummaryFormat format);

}  // namespace dfrs::sim
