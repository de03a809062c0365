// SPDX-License-Identifier: GPL-2.0-or-later
// Published tables beside our own: what `dfrs-sim reproduce NAME` runs. A reproduction is a file of its own and a line
// in reproductions.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dfrs::sim {

/// One cell of a published table, and ours.
struct Comparison {
  std::string table;                ///< one of Reproduction::parts
  std::string row;                  ///< as the paper spells it
  std::string column;               ///< with its unit
  std::optional<double> published;  ///< nothing: the paper has no figure here, or its text is damaged
  double measured = 0;
  std::string words = {};  ///< shown in place of the figure, where not empty: which algorithm, which cause

  /// measured / published; nothing without a published figure or where that is 0.
  std::optional<double> ratio() const;
};

/// What is asked for.
struct ReproduceOptions {
  std::vector<std::string> parts;  ///< tables and figures to run, all if empty; each is one of Reproduction::parts
  std::size_t instances = 0;       ///< per set of instances; 0: as many as the paper had
  std::uint64_t seed = 1;          ///< of generated workloads
  unsigned threads = 0;            ///< 0: one per processor
  std::string traces;              ///< folder with workload logs; empty: what needs one is left out, and said
  std::string output;  ///< folder for CSV, figures, report and the store that lets a run go on; may be empty
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< may be empty; calls do not overlap

  bool wants(std::string_view part) const;
};

/// A part whose rows are numbers, to be drawn as well: a line per column over the rows, ours and the published one.
struct Plot {
  std::string part;
  std::string x_label;  ///< with its unit; also the heading of the column of rows
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  bool even_x = false;                ///< rows at even distances in their order: for values of no common scale
  std::optional<double> marked = {};  ///< row that a vertical line is at: the value by default
};

/// Where a reproduction leaves what it found. Cells appear in the report in the order they are added.
class ReproductionReport {
 public:
  void add(Comparison cell) { cells_.push_back(std::move(cell)); }
  /// A sentence that belongs under the table `part`: what was left out, which instances stand for the paper's. With an
  /// empty `part` it stands at the end of the report.
  void note(std::string part, std::string sentence) { notes_.push_back({std::move(part), std::move(sentence)}); }
  /// Has the cells of a part drawn. Their rows must be numbers.
  void plot(Plot plot) { plots_.push_back(std::move(plot)); }

  struct Note {
    std::string part;
    std::string sentence;
  };
  std::span<const Comparison> cells() const { return cells_; }
  std::span<const Note> notes() const { return notes_; }
  std::span<const Plot> plots() const { return plots_; }

 private:
  std::vector<Comparison> cells_;
  std::vector<Note> notes_;
  std::vector<Plot> plots_;
};

struct ReproductionPart {
  std::string_view name;        ///< "table1", "figure3a": as the user gives it
  std::string_view title;       ///< what it shows, for the heading and for --list
  std::string_view takes = {};  ///< CPU time of all of it, for --list; may be empty
};

struct Reproduction {
  std::string_view name;   ///< "ipdps2010"
  std::string_view paper;  ///< authors, short title, year
  std::span<const ReproductionPart> parts;
  /// Runs the parts asked for. Errors: Failure.
  void (*run)(const ReproduceOptions& options, ReproductionReport& report);
};

/// The log of this name of the Parallel Workloads Archive ("HPC2N-2002-2.1-cln"), plain or compressed: in the folder
/// options.traces, or where `dfrs-sim fetch` keeps it; empty if it is in neither.
std::string find_log(const ReproduceOptions& options, std::string_view name);

/// A sentence for a part that needs this log and goes without.
std::string missing_log(const ReproduceOptions& options, std::string_view name);

/// All of them, in the order of their papers' years.
std::span<const Reproduction> all_reproductions();  // studies/reproductions.cc

/// The one of this name. Errors: UsageError naming the nearest.
const Reproduction& find_reproduction(std::string_view name, std::span<const Reproduction> from = all_reproductions());

/// "table5,figure3a" as names of the reproduction's parts, each once; none of an empty text. Where no
/// part is called "losses" it stands for all whose names begin with "losses-". Errors: UsageError naming the nearest
/// part.
std::vector<std::string> parse_parts(std::string_view text, const Reproduction& reproduction);

}  // namespace dfrs::sim
