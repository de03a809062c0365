// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the enumerators that hosts and policies share, as messages and records spell them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "policy/core/decision.h"
#include "policy/core/error.h"
#include "policy/core/view.h"

namespace dfrs {

/// The names of all enumerators, by value. For JobState, Pauses, EventKind, DecisionKind, ReasonKind and ErrorCode.
template <class Enum>
std::span<const std::string_view> enum_names();
template <>
std::span<const std::string_view> enum_names<JobState>();
template <>
std::span<const std::string_view> enum_names<Pauses>();
template <>
std::span<const std::string_view> enum_names<EventKind>();
template <>
std::span<const std::string_view> enum_names<DecisionKind>();
template <>
std::span<const std::string_view> enum_names<ReasonKind>();
template <>
std::span<const std::string_view> enum_names<ErrorCode>();

template <class Enum>
std::string_view enum_name(Enum value) {
  return enum_names<Enum>()[static_cast<std::size_t>(value)];
}

/// The enumerator of that name; nullopt if there is none.
template <class Enum>
std::optional<Enum> enum_from_name(std::string_view name) {
  const std::span<const std::string_view> names = enum_names<Enum>();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Enum>(at - names.begin());
}

}  // namespace dfrs
