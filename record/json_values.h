// SPDX-License-Identifier: GPL-2.0-or-later
// Reads values from JSON and remembers the first error, so that a reader of many values checks once at the end. A wrong
// value reads as a default, and a wrong list as one with enough items to go on.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "policy/core/enum_names.h"
#include "policy/core/resources.h"

namespace dfrs::record {

class JsonValues {
 public:
  using Json = nlohmann::json;

  /// Remembers an error, unless there is one already.
  void fail(std::string message) {
    if (checked_) checked_ = tl::unexpected<std::string>(std::move(message));
  }
  /// The first error since the last call, if there was one.
  tl::expected<void, std::string> take_result() { return std::exchange(checked_, {}); }

  // `what` names a value in messages.

  /// Fails if `object`, which must be an object, has a member that is not among `known`.
  void check_members(const Json& object, std::span<const std::string> known, std::string_view what);
  /// Fails if there is no such member.
  const Json& member(const Json& object, const char* name, std::string_view what);
  /// A number, or one of the strings "inf", "-inf" and "nan".
  double number(const Json& value, std::string_view what);
  double finite(const Json& value, std::string_view what);
  /// An integer from 0 to `most`.
  std::uint64_t whole(const Json& value, std::uint64_t most, std::string_view what);
  bool flag(const Json& value, std::string_view what);
  std::string text(const Json& value, std::string_view what);
  /// A list of `least` to `most` items.
  const Json& list(const Json& value, std::size_t least, std::size_t most, std::string_view what);
  const Json& list(const Json&& value, std::size_t least, std::size_t most, std::string_view what) = delete;
  RigidVector rigid(const Json& value);

  /// Index of `given` in `known`. `unknown` starts the message, as in "state: unknown".
  std::size_t word(const std::string& given, std::span<const std::string> known, std::string_view unknown);
  template <class Enum>
  Enum enumerator(const std::string& given, std::string_view unknown) {
    if (const std::optional<Enum> known = enum_from_name<Enum>(given)) return *known;
    const std::span<const std::string_view> names = enum_names<Enum>();
    return static_cast<Enum>(word(given, std::vector<std::string>(names.begin(), names.end()), unknown));
  }

 private:
  tl::expected<void, std::string> checked_;
};

/// A value as messages quote it: its JSON, cut after 60 characters.
std::string shown(const nlohmann::json& value);

}  // namespace dfrs::record
