// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/setup_reader.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "policy/core/registry.h"

namespace dfrs::record {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

const Strings kHeader1 = {"dfrs-record",    "version",     "algorithm",      "period",
                          "priority_floor", "ticks_apart", "pass_per_event", "pack_tasks"};
const Strings kHeader2 = {"dfrs-record", "version", "algorithm", "options", "host"};
const Strings kHost = {"penalty", "swap_rate",    "restart",       "pauses",      "keeps_work",
                       "swap",    "min_progress", "max_lost_runs", "requeue_kept"};

// Options of former versions, and the only value that means what this program does.
struct FormerOption {
  std::string_view table;
  const char* name;
  double value;
};
constexpr std::array<FormerOption, 2> kFormer{{{"triage", "margin_new", 1}, {"triage", "young_loss", 1}}};

void read_former(JsonValues& values, const OptionTable& table, const Json& own, Strings& names) {
  for (const FormerOption& former : kFormer) {
    if (former.table != table.name || !own.contains(former.name)) continue;
    names.emplace_back(former.name);
    const double value = values.number(own[former.name], former.name);
    if (value == former.value) continue;
    values.fail(fmt::format("{} is {}; this program no longer has that option and decides as with {}", former.name,
                            value, former.value));
  }
}

void read_option(JsonValues& values, const OptionField& field, const Json& value, EngineOptions& options) {
  if (!field.is_number()) return field.set(options, values.flag(value, field.name));
  const double number = values.number(value, field.name);
  if (!field.range.holds(number)) values.fail(fmt::format("{}: expected {}", field.name, field.range.expected));
  field.set(options, number);
}

// Format 1 stores some options of two families, at the top level of the header.
void read_options_1(JsonValues& values, const Json& object, EngineOptions& options) {
  for (const OptionTable* table : option_tables()) {
    if (table->name != "batch" && table->name != "rr7659") continue;
    for (const OptionField& field : table->fields) {
      const std::string name(field.name);
      if (std::find(kHeader1.begin(), kHeader1.end(), name) == kHeader1.end()) continue;
      read_option(values, field, values.member(object, name.c_str(), "the header"), options);
    }
  }
}

// An option that the record does not name is younger than the record, and its default is what that program did.
void read_options_2(JsonValues& values, const Json& object, EngineOptions& options) {
  if (!object.is_object()) return values.fail("options: expected an object");
  Strings families;
  for (const OptionTable* table : option_tables()) {
    families.emplace_back(table->name);
    const auto own = object.find(families.back());
    if (own == object.end()) continue;
    const std::string what = fmt::format("the options of {}", table->name);
    if (!own->is_object()) return values.fail(fmt::format("{}: expected an object", what));
    Strings names;
    for (const OptionField& field : table->fields) {
      names.emplace_back(field.name);
      const auto value = own->find(names.back());
      if (value != own->end()) read_option(values, field, *value, options);
    }
    read_former(values, *table, *own, names);
    values.check_members(*own, names, what);
  }
  values.check_members(object, families, "options");
}

// Records of 0.2.0 say only whether pauses keep the work.
PauseWorld read_world(JsonValues& values, const Json& host) {
  if (!host.contains("pauses")) {
    const bool keeps_work = values.flag(values.member(host, "keeps_work", "host"), "keeps_work");
    return PauseWorld::all(keeps_work ? PauseEffect::kept : PauseEffect::lost);
  }
  const auto world = parse_world(values.text(host["pauses"], "pauses"));
  if (!world) values.fail(fmt::format("pauses: {}", world.error()));
  return world.value_or(PauseWorld{});
}

HostRules read_host(JsonValues& values, const Json& object) {
  HostRules host;
  if (!object.is_object()) {
    values.fail("host: expected an object");
    return host;
  }
  values.check_members(object, kHost, "host");
  host.penalty = values.finite(values.member(object, "penalty", "host"), "penalty");
  if (object.contains("swap_rate")) host.swap_rate = values.finite(object["swap_rate"], "swap_rate");
  if (object.contains("restart")) host.restart = values.finite(object["restart"], "restart");
  host.pauses = read_world(values, object);
  if (object.contains("swap")) {
    const auto swap = parse_swap(values.text(object["swap"], "swap"));
    if (!swap) values.fail(fmt::format("swap: {}", swap.error()));
    host.swap = swap.value_or(SwapSize{});
  }
  host.min_progress = values.finite(values.member(object, "min_progress", "host"), "min_progress");
  host.max_lost_runs = static_cast<std::uint32_t>(values.whole(
      values.member(object, "max_lost_runs", "host"), std::numeric_limits<std::uint32_t>::max(), "max_lost_runs"));
  if (object.contains("requeue_kept")) host.requeue_kept = values.flag(object["requeue_kept"], "requeue_kept");
  if (host.penalty < 0 || host.min_progress < 0 || host.swap_rate < 0 || host.restart < 0) {
    values.fail("host: expected times and rates of at least 0");
  }
  return host;
}

}  // namespace

Header read_header(JsonValues& values, const Json& object) {
  Header header;
  header.format = values.whole(object["dfrs-record"], std::numeric_limits<std::uint32_t>::max(), "dfrs-record");
  if (header.format < 1 || header.format > kRecordFormat) {
    values.fail(fmt::format("a record of format {}; this program reads formats 1 to {}", header.format, kRecordFormat));
    return header;
  }
  values.check_members(object, header.format == 1 ? kHeader1 : kHeader2, "the header");
  header.version = values.text(values.member(object, "version", "the header"), "version");
  EngineSetup& setup = header.setup;
  setup.algorithm = values.text(values.member(object, "algorithm", "the header"), "algorithm");
  if (const auto algorithm = parse_algorithm(setup.algorithm); !algorithm) {
    values.fail(fmt::format("algorithm: {}", algorithm.error().message));
  }
  if (header.format == 1) {
    read_options_1(values, object, setup.options);
    setup.lacks_triage_options = name_starts_with(setup.algorithm, "Triage");
  } else {
    read_options_2(values, values.member(object, "options", "the header"), setup.options);
    if (object.contains("host")) setup.host = read_host(values, object["host"]);
  }
  return header;
}

}  // namespace dfrs::record
