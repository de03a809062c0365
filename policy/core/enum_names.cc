// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/enum_names.h"

#include <array>

namespace dfrs {
namespace {

using Name = std::string_view;

constexpr std::array<Name, 4> kJobStates{"absent", "waiting", "running", "paused"};
static_assert(static_cast<std::size_t>(JobState::paused) + 1 == kJobStates.size());

constexpr std::array<Name, 3> kPauses{"kept", "lost", "none"};
static_assert(static_cast<std::size_t>(Pauses::none) + 1 == kPauses.size());

constexpr std::array<Name, 4> kEventKinds{"completed", "submitted", "resync", "changed"};
static_assert(static_cast<std::size_t>(EventKind::changed) + 1 == kEventKinds.size());

constexpr std::array<Name, 4> kDecisionKinds{"pause", "move", "resume", "start"};
static_assert(static_cast<std::size_t>(DecisionKind::start) + 1 == kDecisionKinds.size());

constexpr std::array<Name, 20> kReasonKinds{
    "room",      "made_room", "own_room",         "first",    "backfill", "planned_now", "gave_way",      "moved_away",
    "move_pays", "repacked",  "repacked_stretch", "left_out", "no_room",  "outweighed",  "none_to_pause", "behind",
    "reserved",  "planned",   "next_try",         "next_tick"};
static_assert(static_cast<std::size_t>(ReasonKind::next_tick) + 1 == kReasonKinds.size());

constexpr std::array<Name, 6> kErrorCodes{"bad_algorithm", "bad_option",    "bad_view",
                                          "bad_decision",  "out_of_memory", "internal"};
static_assert(static_cast<std::size_t>(ErrorCode::internal) + 1 == kErrorCodes.size());

}  // namespace

template <>
std::span<const std::string_view> enum_names<JobState>() {
  return kJobStates;
}
template <>
std::span<const std::string_view> enum_names<Pauses>() {
  return kPauses;
}
template <>
std::span<const std::string_view> enum_names<EventKind>() {
  return kEventKinds;
}
template <>
std::span<const std::string_view> enum_names<DecisionKind>() {
  return kDecisionKinds;
}
template <>
std::span<const std::string_view> enum_names<ReasonKind>() {
  return kReasonKinds;
}
template <>
std::span<const std::string_view> enum_names<ErrorCode>() {
  return kErrorCodes;
}

}  // namespace dfrs
