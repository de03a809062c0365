// SPDX-License-Identifier: GPL-2.0-or-later
// Published tables beside our own, for `dfrs-sim reproduce NAME`. A reproduction is one file and a line in
// studies/reproductions.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/campaign/parallel.h"
#include "sim/errors.h"
#include "sim/metrics/another_draw.h"
#include "sim/metrics/bootstrap.h"

namespace dfrs::sim {

/// How far apart the values are whose mean a cell shows.
struct MeanSpread {
  std::size_t count = 0;
  double median = 0;
  Interval interval;  ///< of the mean
};

/// That of these values; nothing for fewer than two. `traces`, if not 0: they are of so many traces, each at several
/// loads (sim/metrics/by_trace.h).
std::optional<MeanSpread> spread_of(std::span<const double> values, std::size_t traces = 0);

/// One cell of a published table, and ours.
struct Comparison {
  std::string table;                ///< one of Reproduction::parts
  std::string row;                  ///< as the paper spells it
  std::string column;               ///< with its unit
  std::optional<double> published;  ///< nothing: the paper has no value here, or its text is damaged
  double measured = 0;
  std::string words = {};  ///< if not empty, shown instead of the value: an algorithm, a cause
  /// The row whose published value this one shows again, because it tests another reading of it; empty: its own.
  std::string variant_of = {};
  std::optional<MeanSpread> spread = {};  ///< where `measured` is a mean of two values or more
  /// Where it is a figure of drawn instances: that of another draw of as many lies here.
  std::optional<Interval> another_draw = {};

  /// measured / published; nothing without a published value or if that is 0.
  std::optional<double> ratio() const;
};

/// What to run.
struct ReproduceOptions {
  std::vector<std::string> parts;  ///< tables and figures to run, all if empty; each is one of Reproduction::parts
  std::vector<std::string> assume = {};  ///< readings of what the paper leaves open, of Reproduction::readings
  std::size_t instances = 0;             ///< per set of instances; 0: as many as the paper had
  std::uint64_t seed = 1;                ///< of generated workloads
  unsigned threads = 0;                  ///< 0: one per processor
  std::string traces;  ///< folder with workload logs; parts that need a missing log are left out with a note
  std::string output;  ///< folder for CSV, charts, report and the store that lets a run continue; may be empty
  Progress progress;
  /// The paths that find_log() returned, each once; null: nobody asks.
  std::shared_ptr<std::vector<std::string>> logs = nullptr;

  bool wants(std::string_view part) const;
};

/// Draws a part whose rows are numbers: a line per column over the rows, ours and the published one.
struct Plot {
  std::string part;
  std::string x_label;  ///< with its unit; also the heading of the column of rows
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  bool even_x = false;                ///< rows evenly spaced, in their order, for values without a common scale
  std::optional<double> marked = {};  ///< row with a vertical line: the default value
  /// If not empty, a waterfall of the first column instead, on a logarithmic scale: by row, the row from whose value
  /// its bar leads to its own. Rows need not be numbers.
  std::vector<std::size_t> leads_from = {};
};

/// Collects the results of a reproduction. Cells appear in the report in the order of addition.
class ReproductionReport {
 public:
  void add(Comparison cell) { cells_.push_back(std::move(cell)); }
  /// Adds a cell with the mean of `values`, at least one, and their spread. `traces` as spread_of(). `another`: what
  /// another draw of them would give.
  void add_mean(Comparison cell, std::span<const double> values, std::size_t traces = 0,
                const std::optional<AnotherDraw>& another = {});
  /// The same of their standard deviation.
  void add_deviation(Comparison cell, std::span<const double> values, const std::optional<AnotherDraw>& another);
  /// The same of their maximum.
  void add_maximum(Comparison cell, std::span<const double> values, const std::optional<AnotherDraw>& another);
  /// Adds a sentence below the table `part`: what was left out, which instances stand for the paper's. With an empty
  /// `part`, at the end of the report.
  void note(std::string part, std::string sentence) { notes_.push_back({std::move(part), std::move(sentence)}); }
  /// Draws the cells of a part, whose rows must be numbers.
  void plot(Plot plot) { plots_.push_back(std::move(plot)); }
  /// The row with the least number in this column, of those added so far, wins the part; of equal rows, none
  /// does. Yardsticks, which know run times, do not compete.
  void least_wins(std::string_view part, std::string_view column);

  struct Note {
    std::string part;
    std::string sentence;
  };
  struct Winner {
    std::string part;
    std::string row;
  };
  std::span<const Comparison> cells() const { return cells_; }
  std::span<const Note> notes() const { return notes_; }
  std::span<const Plot> plots() const { return plots_; }
  std::span<const Winner> winners() const { return winners_; }

 private:
  std::vector<Comparison> cells_;
  std::vector<Note> notes_;
  std::vector<Plot> plots_;
  std::vector<Winner> winners_;
};

struct ReproductionPart {
  std::string_view name;        ///< "table1", "figure3a": as the user gives it
  std::string_view title;       ///< what it shows, for the heading and for --list
  std::string_view takes = {};  ///< CPU time of the whole part, for --list; may be empty
};

/// What parts say of themselves in a member `what`.
template <typename Part, std::size_t N>
constexpr std::array<ReproductionPart, N> descriptions_of(const std::array<Part, N>& parts) {
  std::array<ReproductionPart, N> descriptions{};
  for (std::size_t k = 0; k < N; ++k) descriptions[k] = parts[k].what;
  return descriptions;
}

struct Reproduction {
  std::string_view name;   ///< "ipdps2010"
  std::string_view paper;  ///< authors, short title, year
  std::span<const ReproductionPart> parts;
  /// Runs the requested parts.
  Result<void> (*run)(const ReproduceOptions& options, ReproductionReport& report);
  /// Names and what they assume, for ReproduceOptions::assume; without them, it runs as the commands do.
  std::span<const ReproductionPart> readings = {};
};

/// The path of a log of the Parallel Workloads Archive ("HPC2N-2002-2.1-cln"), plain or compressed, in the folder
/// options.traces or in the cache of `dfrs-sim fetch`; empty if it is in neither.
std::string find_log(const ReproduceOptions& options, std::string_view name);

/// A note for a part that is left out because this log is missing.
std::string missing_log(const ReproduceOptions& options, std::string_view name);

/// All reproductions, by year of their papers.
std::span<const Reproduction> all_reproductions();  // studies/reproductions.cc

/// The reproduction of this name. Errors: kExitUsage naming the nearest one.
Result<const Reproduction*> find_reproduction(std::string_view name,
                                              std::span<const Reproduction> from = all_reproductions());

/// The names in a list such as "table5,figure3a", each once; empty for an empty text. A name such as "losses" that is
/// not a part means all parts whose names begin with "losses-". Errors: kExitUsage naming the nearest part.
Result<std::vector<std::string>> parse_parts(std::string_view text, const Reproduction& reproduction);

/// The algorithm with the first of these parts of names that it takes; without any, as it is.
std::string with_part(std::string_view algorithm, std::span<const std::string_view> parts);

/// The names in a list of readings. Errors: kExitUsage naming the nearest one.
Result<std::vector<std::string>> parse_readings(std::string_view text, const Reproduction& reproduction);

}  // namespace dfrs::sim
