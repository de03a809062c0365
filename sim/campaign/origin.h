// SPDX-License-Identifier: GPL-2.0-or-later
// What a result is of: the program, the trace and the options that made it. Every output carries this.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/host/instance.h"

namespace dfrs::sim {

/// A source that begins with this is a command whose output is the trace.
inline constexpr std::string_view kGenerated = "dfrs-sim generate ";

struct ResultOrigin {
  std::string program;  ///< with its version
  std::string source;   ///< as InstanceOrigin's, or a command, see kGenerated
  std::string sha256;
  std::string workload;
  std::string options;  ///< of the simulation, as on a command line

  friend bool operator==(const ResultOrigin&, const ResultOrigin&) = default;
};

/// A column of an origin and its name in files.
struct OriginColumn {
  std::string_view name;
  std::string ResultOrigin::* field;
};
std::span<const OriginColumn> origin_columns();

/// "program,source,...": the headings of an origin's columns in a CSV file.
std::string origin_headings();
/// Its values, as csv_field() writes them.
std::string origin_fields(const ResultOrigin& origin);

/// "dfrs-sim 1.2 (results 3)".
std::string program_version();

/// The origin of results of `instance` that this program computes with `options`.
std::shared_ptr<const ResultOrigin> origin_of(const Instance& instance, std::string_view options);

/// The origins of a campaign's results, and the lines that repeat it.
struct CampaignOrigin {
  std::vector<ResultOrigin> origins;    ///< distinct, in order of first appearance
  std::vector<std::string> algorithms;  ///< canonical names; empty for subcommands that take none
  std::string command = "compare";      ///< the subcommand that repeats the results

  /// Adds an origin unless it is there already. Null is not known and adds nothing.
  void add(const std::shared_ptr<const ResultOrigin>& origin);
  /// The distinct values of a column, in order of first appearance.
  std::vector<std::string> distinct(std::string ResultOrigin::* field) const;
  /// A command line for each group of sources with equal options.
  std::vector<std::string> commands() const;
  /// Name and value of everything that is known, for a reader. Beyond `most` sources, they are counted.
  std::vector<std::pair<std::string, std::string>> described(std::size_t most) const;
  /// The same as lines "name: value", for files that have room for a comment.
  std::string lines() const;

 private:
  const ResultOrigin* last_ = nullptr;  // shared by many rows
};

/// What a trace that `command` writes says in its comments.
std::vector<std::string> trace_comments(const ResultOrigin& origin, std::string_view command);

/// `word` as sh takes it: in quotes if it needs them.
std::string shell_word(std::string_view word);

}  // namespace dfrs::sim
