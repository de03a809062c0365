// SPDX-License-Identifier: GPL-2.0-or-later
// The options of a family as a table of named values, with which records can store and read them and the engine can
// check them without knowing the family. A family defines its table like this:
//
//   constexpr std::array kFields{option_field<&SjfOptions::aging>("aging", kNotNegative), ...};
//   static_assert(kFields.size() == field_count<SjfOptions>(), "an option is missing in the table");
//   constexpr OptionTable kSjfTable{"sjf", kFields};
//
// and points to it in its PolicyFamily. The assertion makes a forgotten option a compile error.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

#include "policy/core/engine_options.h"

namespace dfrs {

using OptionValue = std::variant<bool, double>;

/// The numbers that an option accepts.
struct NumberRange {
  std::string_view expected;  ///< in words, for messages: "a number above 0"
  bool (*holds)(double value) = nullptr;
};
inline constexpr NumberRange kPositive{"a finite number above 0", [](double v) { return v > 0 && std::isfinite(v); }};
inline constexpr NumberRange kNotNegative{"a finite number of at least 0",
                                          [](double v) { return v >= 0 && std::isfinite(v); }};
/// For an option that is true or false.
inline constexpr NumberRange kYesOrNo{"true or false", nullptr};

struct OptionField {
  std::string_view name;
  NumberRange range;
  OptionValue (*get)(const EngineOptions&) = nullptr;
  /// `value` must be of the type that get() returns.
  void (*set)(EngineOptions&, OptionValue value) = nullptr;

  bool is_number() const { return range.holds != nullptr; }
};

struct OptionTable {
  std::string_view name;  ///< as records spell it
  std::span<const OptionField> fields;
};

namespace detail {
template <class Owner, class Value>
struct MemberOf {
  using owner = Owner;
  using value = Value;
};
template <class Owner, class Value>
MemberOf<Owner, Value> member_of(Value Owner::*);

struct Anything {
  template <class T>
  constexpr operator T() const;  // never defined: only counts the initializers
};
}  // namespace detail

/// Number of members of the aggregate T.
template <class T, class... Members>
constexpr std::size_t field_count() {
  if constexpr (requires { T{Members()..., detail::Anything()}; }) {
    return field_count<T, Members..., detail::Anything>();
  } else {
    return sizeof...(Members);
  }
}

template <auto Member>
constexpr OptionField option_field(std::string_view name, NumberRange range = kYesOrNo) {
  using Of = decltype(detail::member_of(Member));
  return {name, range,
          [](const EngineOptions& options) -> OptionValue { return options.of<typename Of::owner>().*Member; },
          [](EngineOptions& options, OptionValue value) {
            if (const auto* set = std::get_if<typename Of::value>(&value))
              options.of<typename Of::owner>().*Member = *set;
          }};
}

}  // namespace dfrs
