// SPDX-License-Identifier: GPL-2.0-or-later
// Takes values out of JSON and remembers the first thing that is wrong with them, so that a reader of many values asks
// once at the end. After that every value is a default, and every list has as many items as were asked for.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/core/enum_names.h"
#include "policy/core/resources.h"

namespace dfrs::record {

class JsonValues {
 public:
  using Json = nlohmann::json;

  void fail(std::string what) {
    if (!wrong_) wrong_ = std::move(what);
  }
  bool sound() const { return !wrong_; }
  /// What was wrong, if anything was; forgets it.
  std::optional<std::string> take_error() { return std::exchange(wrong_, std::nullopt); }

  /// `object` must be an object.
  void check_members(const Json& object, std::span<const std::string> known, std::string_view what);
  const Json& member(const Json& object, const char* name, std::string_view what);
  /// "inf", "-inf" and "nan" are numbers, too.
  double number(const Json& value, std::string_view what);
  double finite(const Json& value, std::string_view what);
  std::uint64_t whole(const Json& value, std::uint64_t most, std::string_view what);
  bool flag(const Json& value, std::string_view what);
  std::string text(const Json& value, std::string_view what);
  const Json& list(const Json& value, std::size_t least, std::size_t most, std::string_view what);
  RigidVector rigid(const Json& value);

  /// One of `known`; `unknown` begins the message: "state: unknown".
  std::size_t word(const std::string& given, std::span<const std::string> known, std::string_view unknown);
  template <class Enum>
  Enum enumerator(const std::string& given, std::string_view unknown) {
    if (const std::optional<Enum> known = enum_from_name<Enum>(given)) return *known;
    const std::span<const std::string_view> names = enum_names<Enum>();
    return static_cast<Enum>(word(given, std::vector<std::string>(names.begin(), names.end()), unknown));
  }

 private:
  std::optional<std::string> wrong_;
};

/// What is shown of a value in a message.
std::string shown(const nlohmann::json& value);

}  // namespace dfrs::record
