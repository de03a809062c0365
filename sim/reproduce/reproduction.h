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
#include <vector>

namespace dfrs::sim {

/// One cell of a published table, and ours.
struct Comparison {
  std::string table;   ///< one of Reproduction::parts
  std::string row;     ///< as the paper spells it
  std::string column;  ///< with its unit
  std::optional<double> published;  ///< nothing: the paper has no figure here, or its text is damaged
  double measured = 0;

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
  std::string output;              ///< folder for CSV, figures, report and the store that lets a run go on; may be empty
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< may be empty; calls do not overlap

  bool wants(std::string_view part) const;
};

/// Where a reproduction leaves what it found. Cells appear in the report in the order they are added.
class ReproductionReport {
 public:
  void add(Comparison cell) { cells_.push_back(std::move(cell)); }
  /// A sentence that belongs under the table `part`: what was left out, which instances stand for the paper's.
  void note(std::string part, std::string sentence) { notes_.push_back({std::move(part), std::move(sentence)}); }

  struct Note {
    std::string part;
    std::string sentence;
  };
  std::span<const Comparison> cells() const { return cells_; }
  std::span<const Note> notes() const { return notes_; }

 private:
  std::vector<Comparison> cells_;
  std::vector<Note> notes_;
};

struct ReproductionPart {
  std::string_view name;   ///< "table1", "figure3a": as the user gives it
  std::string_view title;  ///< what it shows, for the heading and for --help
};

struct Reproduction {
  std::string_view name;   ///< "ipdps2010"
  std::string_view paper;  ///< authors, short title, year
  std::span<const ReproductionPart> parts;
  /// Runs the parts asked for. Errors: Failure.
  void (*run)(const ReproduceOptions& options, ReproductionReport& report);
};

/// All of them, in the order of their papers' years.
std::span<const Reproduction> all_reproductions();

}  // namespace dfrs::sim
