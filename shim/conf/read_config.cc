// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/read_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shim/conf/config_draft.h"
#include "shim/conf/key_values.h"
#include "shim/conf/settings.h"

namespace dfrs::shim {
namespace {

// Sorts the pairs into the sections of a draft and reads their values.
class Reader {
 public:
  explicit Reader(const std::string& file) { draft_.file = file; }

  ConfigDraft run(const KeyValues& found) {
    for (const SyntaxError& e : found.errors) draft_.add_error(e.line, "", e.message);
    for (const KeyValue& pair : found.pairs) take(pair);
    draft_.all_lines_read = found.errors.empty();
    return std::move(draft_);
  }

 private:
  // Names of the keys that may stand on a partition's line, or of all keys.
  static std::vector<std::string> key_names(bool of_partition) {
    std::vector<std::string> names;
    for (const Setting& setting : settings()) {
      if (!of_partition || setting.place == Setting::Place::file_or_partition) names.push_back(setting.name);
    }
    return names;
  }

  void add_error(const KeyValue& pair, std::string message) {
    draft_.add_error(pair.line, pair.key, std::move(message));
  }

  // A line that starts with PartitionName holds settings of that partition; all other lines hold those of the file.
  void take(const KeyValue& pair) {
    if (pair.starts_line) partition_ = nullptr;
    const Setting* const setting = find_setting(pair.key);
    if (setting == nullptr)
      return add_error(pair, "unknown key" + suggestion(pair.key, key_names(partition_ != nullptr)));
    if (setting->place == Setting::Place::starts_partition) return begin_partition(pair);
    if (partition_ != nullptr && setting->place == Setting::Place::file) {
      return add_error(pair, fmt::format("is a setting of the whole file, not of one partition: give it a line of its "
                                         "own (partitions have {})",
                                         fmt::join(key_names(true), " and ")));
    }
    const auto [earlier, is_new] = section().seen.emplace(setting->name, pair.line);
    if (!is_new)
      return add_error(pair, fmt::format("is given twice, first in line {}: keep one of them", earlier->second));
    if (pair.value.empty()) return add_error(pair, "has no value; leave the line out for the default");
    if (const auto done = setting->read(pair.value, {draft_.config, section().pausing}); done) {
      draft_.good_lines[setting->name] = pair.line;
    } else {
      for (const std::string& message : done.error()) draft_.add_error(pair.line, setting->name, message);
    }
  }

  void begin_partition(const KeyValue& pair) {
    partition_ = &ignored_partition_;
    ignored_partition_ = {};
    if (!pair.starts_line) return add_error(pair, "must be the first on its line");
    if (pair.value.empty()) return add_error(pair, "has no value: name one of the partitions of Partitions=");
    const auto [place, is_new] = draft_.partitions.try_emplace(pair.value);
    if (!is_new) {
      return add_error(pair, fmt::format("partition '{}' has a line already, line {}: put all its settings there",
                                         pair.value, place->second.line));
    }
    partition_ = &place->second;
    partition_->line = pair.line;
  }

  ConfigDraft::Section& section() { return partition_ != nullptr ? *partition_ : draft_.whole_file; }

  ConfigDraft draft_;
  ConfigDraft::Section ignored_partition_;     // of a refused PartitionName: its settings are still checked
  ConfigDraft::Section* partition_ = nullptr;  // whose line is being read; null: the whole file's
};

}  // namespace

tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::string& file) {
  return finish(Reader(file).run(parse_key_values(text)));
}

tl::expected<std::string, ConfigErrors> read_config_text(const std::string& path) {
  auto text = read_conf_text(path, kMaxConfigBytes);
  if (!text) return tl::unexpected<ConfigErrors>(ConfigErrors{ConfigError{path, 0, "", text.error(), true}});
  return std::move(*text);
}

tl::expected<Config, ConfigErrors> read_config(const std::string& path) {
  const auto text = read_config_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_config(*text, path);
}

}  // namespace dfrs::shim
