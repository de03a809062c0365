// SPDX-License-Identifier: GPL-2.0-or-later
// The registry of policies. A family consists of a file that defines
//
//   extern const PolicyFamily sjf_family{"sjf", "Shortest job first", list};
//
// and a line in policy/registry.mk that names the file (docs/contributor-guide.md). All algorithm names in commands,
// dfrs.conf, records and reports come from here.
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

/// The algorithm that a name stands for; nullopt if the name is not one of the family's. Error: what is wrong, as half
/// a sentence, with a name that was meant for the family.
using NameMatch = tl::expected<std::optional<Algorithm>, std::string>;

inline tl::unexpected<std::string> wrong(std::string why) { return tl::unexpected<std::string>(std::move(why)); }

/// Policies that belong together.
struct PolicyFamily {
  std::string_view name;   ///< of the set of its policies, where commands take sets; lower case, no policy's name
  std::string_view title;  ///< for headings, with the paper it comes from
  /// Its policies in the order of listings, with usual values for parameters.
  std::vector<Algorithm> (*list)();
  /// Parses names that list() does not contain, such as those with other parameters; may be null. The name has no
  /// blanks; case must not matter.
  NameMatch (*parse)(std::string_view name) = nullptr;
  /// The names to compare a mistyped name with; null: those of list().
  std::vector<std::string> (*spellings)() = nullptr;
  /// The options that the family defines; null: none. Other families may use them, too.
  const OptionTable* options = nullptr;
};

/// All families, in the order of policy/registry.mk.
std::span<const PolicyFamily* const> policy_families();

/// The policies that all families list.
std::vector<Algorithm> registered_algorithms();

/// The options of all families, each table once.
std::vector<const OptionTable*> option_tables();

/// The policies that the family of that name lists; nullopt if there is none. Case matters.
std::optional<std::vector<Algorithm>> algorithms_of_family(std::string_view name);

// For names with parameters.

/// Whether the names are equal, regardless of case.
bool same_name(std::string_view a, std::string_view b);
bool name_starts_with(std::string_view text, std::string_view prefix);
/// The number in `digits`, if that is a positive, finite number and nothing else.
std::optional<Seconds> seconds_from_name(std::string_view digits);
/// The shortest text that seconds_from_name() reads back as `value`.
std::string seconds_in_name(Seconds value);

}  // namespace dfrs
