// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of dfrs.conf, as one table. Reading, printing and listing them all use it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "shim/conf/config.h"

namespace dfrs::shim {

/// Pauses, PauseBy and LostWork as given for the whole file or for one partition; nothing: not given there.
struct GivenPauseRules {
  std::optional<PauseRules> by_word = {};  ///< what Pauses means
  std::optional<bool> suspend = {};
  std::optional<bool> requeue = {};
  std::optional<bool> accept_lost_work = {};
  std::optional<bool> checkpoint = {};

  PauseRules over(const PauseRules& defaults) const;
};

/// Where values are stored. `pausing` belongs to the whole file, or to the partition whose line is being read.
struct SettingTarget {
  Config& config;
  GivenPauseRules& pausing;
};

/// Why a value is refused: one or more messages of one line each.
using ValueErrors = std::vector<std::string>;

struct Setting {
  enum class Place : std::uint8_t {
    file,               ///< of the whole file
    file_or_partition,  ///< of the whole file and, on a PartitionName line, of that partition
    starts_partition,   ///< PartitionName itself; it has no `read`
  };
  using Read = std::function<tl::expected<void, ValueErrors>(const std::string& value, SettingTarget target)>;
  using Format = std::function<std::optional<std::string>(const Config& config, const PauseRules& pausing)>;

  std::string name = {};
  Place place = Place::file;
  bool required = false;
  std::string values = {};   ///< the values that it takes, for people
  std::string part = {};     ///< the part of dfrs that uses it, for people
  std::string meaning = {};  ///< one sentence
  Read read = {};
  Format format = {};  ///< the value in the syntax of dfrs.conf; nothing: the line is left out
};

/// All keys of dfrs.conf, in the order of etc/dfrs.conf.example.
const std::vector<Setting>& settings();

/// The setting of that name, in any case; null if there is none.
const Setting* find_setting(std::string_view name);

/// One line for each key, its fields separated by tabs: name, default, values, place, part, meaning.
std::string list_settings();

/// "; did you mean 'x'?" if a valid word is close, else "; expected ..." with all valid words.
std::string suggestion(std::string_view word, const std::vector<std::string>& valid);

}  // namespace dfrs::shim
