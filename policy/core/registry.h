// SPDX-License-Identifier: GPL-2.0-or-later
// The registry of policies. A family is a file that defines
//
//   extern const PolicyFamily sjf_family{"sjf", "Shortest job first", list};
//
// and a line in policy/registry.mk that names the file. All names that users meet, in commands, dfrs.conf, records and
// reports, come from here (docs/contributor-guide.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/core/option_table.h"
#include "policy/core/units.h"

namespace dfrs {

/// The algorithm that a name stands for; nothing if it is none of the family's; an error if it is meant to be one of
/// the family's and is wrong: what is wrong with it, as half a sentence.
using NameMatch = tl::expected<std::optional<Algorithm>, std::string>;

inline tl::unexpected<std::string> wrong(std::string why) { return tl::unexpected<std::string>(std::move(why)); }

/// Policies that belong together.
struct PolicyFamily {
  std::string_view name;   ///< of the set of its policies where commands take sets: lower case, no policy's name
  std::string_view title;  ///< for headings; where it comes from
  /// Its policies, those with parameters with usual ones, in the order that suits a reader.
  std::vector<Algorithm> (*list)();
  /// For names beyond those of list(), such as with other parameters; may be null. The name comes without blanks; case
  /// must not matter.
  NameMatch (*parse)(std::string_view name) = nullptr;
  /// What a mistyped name is compared with; null: the names of list().
  std::vector<std::string> (*spellings)() = nullptr;
  /// The options that the family owns; null: none of its own. Others may use them, too.
  const OptionTable* options = nullptr;
};

/// All families, in the order of policy/registry.mk.
std::span<const PolicyFamily* const> policy_families();

/// What list() of all families gives.
std::vector<Algorithm> registered_algorithms();

/// The options of all families, each table once.
std::vector<const OptionTable*> option_tables();

/// The algorithms of the family of that name (case matters); nothing if there is no such family.
std::optional<std::vector<Algorithm>> algorithms_of_family(std::string_view name);

// For names with parameters.

/// Equal but for case.
bool same_name(std::string_view a, std::string_view b);
bool name_starts_with(std::string_view text, std::string_view prefix);
/// A positive, finite number of seconds and nothing else.
std::optional<Seconds> seconds_from_name(std::string_view digits);
/// The shortest text that seconds_from_name gives `value` for.
std::string seconds_in_name(Seconds value);

}  // namespace dfrs
