// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/pause_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "record/json_text.h"

namespace dfrs {
namespace {

constexpr std::array<std::string_view, 4> kEffects{"kept", "lost", "none", "suspended"};
static_assert(static_cast<std::size_t>(record::PauseEffect::suspended) + 1 == kEffects.size());

}  // namespace

template <>
std::span<const std::string_view> enum_names<record::PauseEffect>() {
  return kEffects;
}

}  // namespace dfrs

namespace dfrs::record {
namespace {

constexpr std::string_view kMixed = "mixed:";
constexpr std::string_view kMarked = "marked";

// Reads all of `text`.
template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size();
}

// SplitMix64's finalizer: every bit of the result depends on every bit of `x`.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::string world_text(const PauseWorld& world) {
  const std::string others(enum_name(world.others));
  if (world.marked) return fmt::format("{}{}/{}", kMixed, kMarked, others);
  if (world == PauseWorld::all(PauseEffect::kept)) return std::string(enum_name(PauseEffect::kept));
  if (world == PauseWorld::all(world.others)) return others;
  std::string part;
  append_number(part, world.kept);
  return fmt::format("{}{}:{}/{}", kMixed, part, world.seed, others);
}

tl::expected<PauseWorld, std::string> parse_world(std::string_view given) {
  std::string lower(given);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (const auto all = enum_from_name<PauseEffect>(lower)) return PauseWorld::all(*all);
  const auto wrong = [&](std::string_view what) {
    return tl::unexpected(fmt::format("'{}': {}expected {}", given, what, kPauseWorlds));
  };
  std::string_view rest = lower;
  if (!rest.starts_with(kMixed)) return wrong("");
  rest.remove_prefix(kMixed.size());
  PauseWorld world;
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const auto others = enum_from_name<PauseEffect>(rest.substr(slash + 1));
    if (!others || *others == PauseEffect::kept) {
      return wrong("jobs that have no checkpoints are /suspended, /none or /lost; ");
    }
    world.others = *others;
    rest = rest.substr(0, slash);
  }
  world.marked = rest == kMarked;
  if (world.marked) return world;
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    if (!read(rest.substr(colon + 1), world.seed)) return wrong("the seed is a whole number from 0; ");
    rest = rest.substr(0, colon);
  }
  if (!read(rest, world.kept) || !(world.kept >= 0 && world.kept <= 1)) {
    return wrong("X, the part of the jobs that can be paused, is a number from 0 to 1; ");
  }
  // Nothing is drawn at the ends: these are the plain worlds.
  if (world.kept == 1) return PauseWorld::all(PauseEffect::kept);
  if (world.kept == 0) return PauseWorld::all(world.others);
  return world;
}

double pause_draw(std::uint64_t seed, JobId job, std::uint64_t tasks, Seconds run_time) {
  std::uint64_t x = mixed(seed);
  for (const std::uint64_t part : {std::uint64_t{job}, tasks, std::bit_cast<std::uint64_t>(run_time)})
    x = mixed(x ^ part);
  return static_cast<double>(x >> 11) * 0x1p-53;
}

}  // namespace dfrs::record
