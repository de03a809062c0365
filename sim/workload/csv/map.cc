// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/csv/map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "policy/core/nearest_name.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kFields = static_cast<std::size_t>(CsvField::kCount);

struct FieldRule {
  std::string_view name;
  CsvKind kind;
  unsigned per = 0;  // what its amounts may count per, besides the whole job
};
constexpr unsigned bit(CsvPer per) { return 1U << static_cast<unsigned>(per); }
constexpr unsigned kAnyPart = bit(CsvPer::kNode) | bit(CsvPer::kCpu) | bit(CsvPer::kTask);

const std::array<FieldRule, kFields>& rules() {
  static const std::array<FieldRule, kFields> all{{
      {"job", CsvKind::kText},
      {"user", CsvKind::kText},
      {"group", CsvKind::kText},
      {"partition", CsvKind::kText},
      {"qos", CsvKind::kText},
      {"state", CsvKind::kText},
      {"node_list", CsvKind::kText},
      {"submit", CsvKind::kInstant},
      {"start", CsvKind::kInstant},
      {"end", CsvKind::kInstant},
      {"run_time", CsvKind::kDuration},
      {"limit", CsvKind::kDuration},
      {"cpu_time", CsvKind::kDuration, bit(CsvPer::kCpu)},
      {"cpus", CsvKind::kCount, bit(CsvPer::kNode) | bit(CsvPer::kTask)},
      {"requested_cpus", CsvKind::kCount},
      {"nodes", CsvKind::kCount},
      {"tasks", CsvKind::kCount},
      {"gpus", CsvKind::kCount, bit(CsvPer::kNode) | bit(CsvPer::kTask)},
      {"memory", CsvKind::kMemory, kAnyPart},
      {"used_memory", CsvKind::kMemory, kAnyPart},
  }};
  return all;
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kTimeUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
                               {"min", 60},  {"h", 3600},  {"d", 86400}};
constexpr double kMib = 1024.0 * 1024;
constexpr Unit kMemoryUnits[] = {{"B", 1 / kMib},     {"kB", 1e3 / kMib},  {"KB", 1e3 / kMib}, {"KiB", 1024 / kMib},
                                 {"MB", 1e6 / kMib},  {"MiB", 1},          {"GB", 1e9 / kMib}, {"GiB", 1024},
                                 {"TB", 1e12 / kMib}, {"TiB", 1024 * 1024}};
constexpr std::pair<std::string_view, CsvPer> kPer[] = {
    {"node", CsvPer::kNode}, {"cpu", CsvPer::kCpu}, {"task", CsvPer::kTask}};

std::span<const Unit> units_of(CsvKind kind) {
  if (kind == CsvKind::kMemory) return kMemoryUnits;
  // A number of minutes, hours or days since 1970 is more likely a mistake.
  if (kind == CsvKind::kInstant) return std::span<const Unit>(kTimeUnits).first(4);
  if (kind == CsvKind::kDuration) return kTimeUnits;
  return {};
}

const std::vector<std::string>& states() {
  static const std::vector<std::string> all{"BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING",    "CONFIGURING",
                                            "DEADLINE",  "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PENDING",
                                            "PREEMPTED", "REQUEUED",  "RESIZING",  "REVOKED",       "RUNNING",
                                            "SUSPENDED", "TIMEOUT"};
  return all;
}

enum class TokenKind { kWord, kQuoted, kConstant, kSign };
struct Token {
  TokenKind kind = TokenKind::kWord;
  std::string text;
};

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  const std::string_view found = nearest_name(name, candidates);
  if (found.empty() || edit_distance(name, found) > std::max<std::size_t>(2, name.size() / 3)) return {};
  return fmt::format("; did you mean '{}'?", found);
}

class Parser {
 public:
  Parser(std::string_view text, std::string source) : lines_(text) { map_.source = std::move(source); }

  Result<CsvMap> parse() {
    for (std::string_view line; !error_ && lines_.next(line);) {
      constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
      if (lines_.number() == 1 && line.starts_with(kUtf8Mark)) line.remove_prefix(kUtf8Mark.size());
      tokens_ = split(line);
      at_ = 0;
      if (!error_ && !tokens_.empty()) take_line();
    }
    if (!error_) check();
    if (error_) return tl::unexpected(*std::move(error_));
    if (map_.kinds.size() == 1 && map_.kinds.front().gpus == 0) map_.kinds.clear();
    return std::move(map_);
  }

 private:
  // The first error ends the map. Until its line is done, words that are missing are empty.
  void bad(const std::string& what) { bad_at(lines_.number(), what); }
  void bad_at(std::size_t line, const std::string& what) { refuse(fmt::format("{}:{}: {}", map_.source, line, what)); }
  void refuse(std::string message) {
    if (!error_) error_ = Error{.code = kExitInput, .message = std::move(message)};
  }

  std::vector<Token> split(std::string_view line) {
    std::vector<Token> tokens;
    while (!(line = trimmed(line)).empty() && line.front() != '#') {
      const char first = line.front();
      if (first == '=' || first == ',' || first == '*') {
        tokens.push_back({TokenKind::kSign, std::string(1, first)});
        line.remove_prefix(1);
        continue;
      }
      if (first == '"' || first == '\'') {
        const std::size_t end = line.find(first, 1);
        if (end == std::string_view::npos) {
          bad(fmt::format("a quote {} is not closed", first));
          return tokens;
        }
        tokens.push_back(
            {first == '"' ? TokenKind::kQuoted : TokenKind::kConstant, std::string(line.substr(1, end - 1))});
        line.remove_prefix(end + 1);
        continue;
      }
      const std::size_t end = std::min(line.find_first_of(" \t\r=,*#\"'"), line.size());
      tokens.push_back({TokenKind::kWord, std::string(line.substr(0, end))});
      line.remove_prefix(end);
    }
    return tokens;
  }

  bool ended() const { return at_ == tokens_.size(); }
  bool is_sign(char sign) const {
    return !ended() && tokens_[at_].kind == TokenKind::kSign && tokens_[at_].text.front() == sign;
  }
  bool take_sign(char sign) {
    if (!is_sign(sign)) return false;
    ++at_;
    return true;
  }
  std::string rest() const { return ended() ? "the end of the line" : "'" + printable_word(tokens_[at_].text) + "'"; }
  std::string take_word(std::string_view expected) {
    if (!ended() && tokens_[at_].kind != TokenKind::kSign) return tokens_[at_++].text;
    bad(fmt::format("{}, expected {}", rest(), expected));
    return {};
  }
  void need_sign(char sign, std::string_view after) {
    if (!take_sign(sign)) bad(fmt::format("{}, expected '{}' after '{}'", rest(), sign, after));
  }
  void need_end() {
    if (!ended()) bad(fmt::format("{}, expected the end of the line", rest()));
  }
  std::vector<std::string> take_list(std::string_view expected) {
    std::vector<std::string> list;
    do {
      list.push_back(take_word(expected));
    } while (take_sign(','));
    need_end();
    return list;
  }

  void take_line() {
    const std::string name = take_word("the name of a field");
    if (name == "separator") return take_separator();
    if (name == "machine") return take_machine();
    if (name == "header" || name == "missing") {
      need_sign('=', name);
      auto& list = name == "header" ? map_.header : map_.missing;
      if (!list.empty()) bad(fmt::format("'{}' is given twice", name));
      list = take_list(name == "header" ? "the name of a column" : "a cell that is no value");
      return;
    }
    const auto rule = std::find_if(rules().begin(), rules().end(), [&](const FieldRule& r) { return r.name == name; });
    if (rule == rules().end()) {
      std::vector<std::string> names{"separator", "machine", "header", "missing"};
      for (const FieldRule& each : rules()) names.emplace_back(each.name);
      return bad(fmt::format("'{}' is no field of a job{}", printable_word(name), nearest(name, names)));
    }
    CsvSource& source = map_.fields[static_cast<std::size_t>(rule - rules().begin())];
    if (!is_sign('=')) return take_names(*rule, source);
    need_sign('=', name);
    if (source.given) bad(fmt::format("'{}' is given twice, also on line {}", name, source.line));
    take_source(*rule, source);
  }

  // FIELD = COLUMN [* FACTOR] [UNIT] [per node|cpu|task]
  void take_source(const FieldRule& rule, CsvSource& source) {
    source.given = true;
    source.line = lines_.number();
    source.constant = !ended() && tokens_[at_].kind == TokenKind::kConstant;
    source.text = take_word("a column, or a value in single quotes");
    if (source.text.empty()) bad("an empty name, expected a column");
    if (take_sign('*')) {
      if (rule.kind == CsvKind::kText) bad(fmt::format("'{}' is text and takes no factor", rule.name));
      const std::string factor = take_word("a factor such as 0.01");
      if (parse_number(factor, source.scale) != NumberStatus::kOk || source.scale <= 0) {
        bad(fmt::format("'{}', expected a factor above 0 such as 0.01", printable_word(factor)));
      }
    }
    if (!ended() && tokens_[at_].text != "per") take_unit(rule, source);
    if (!ended()) take_per(rule, source);
    need_end();
  }

  void take_unit(const FieldRule& rule, CsvSource& source) {
    const std::string name = take_word("a unit");
    const auto units = units_of(rule.kind);
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    if (unit == units.end()) {
      if (units.empty()) return bad(fmt::format("'{}', but '{}' has no unit", printable_word(name), rule.name));
      std::vector<std::string_view> names;
      for (const Unit& each : units) names.push_back(each.name);
      return bad(
          fmt::format("'{}', expected a unit of '{}': {}", printable_word(name), rule.name, fmt::join(names, ", ")));
    }
    source.unit = true;
    source.scale *= unit->factor;
  }

  void take_per(const FieldRule& rule, CsvSource& source) {
    if (tokens_[at_].kind != TokenKind::kSign && tokens_[at_].text != "per") {
      return bad(fmt::format("{}, expected 'per' or the end of the line", rest()));
    }
    take_word("per");
    const std::string name = take_word("node, cpu or task");
    const auto per =
        std::find_if(std::begin(kPer), std::end(kPer), [&](const auto& each) { return each.first == name; });
    if (per == std::end(kPer) || (rule.per & bit(per->second)) == 0) {
      return bad(fmt::format("'{}' cannot be per '{}'", rule.name, printable_word(name)));
    }
    source.per = per->second;
  }

  // FIELD NAME = CELL, ...: cells that stand for a value of ours.
  void take_names(const FieldRule& rule, CsvSource& source) {
    const std::string value = take_word("= and a column");
    need_sign('=', value);
    const std::vector<std::string> cells = take_list("a cell of the table");
    if (source.line == 0) source.line = lines_.number();
    if (value == "missing") {
      source.missing.insert(source.missing.end(), cells.begin(), cells.end());
      return;
    }
    const bool state = rule.name == "state";
    if (state && !is_slurm_state(value)) {
      bad(fmt::format("'{}' is no state of Slurm{}", printable_word(value), nearest(value, states())));
    }
    if (const std::string_view word = word_of(rule.name); !state && value != word) {
      bad(fmt::format("'{} {}', expected '{} missing'{}", rule.name, printable_word(value), rule.name,
                      word.empty() ? "" : fmt::format(" or '{} {}'", rule.name, word)));
    }
    for (const std::string& cell : cells) {
      if (!source.names.emplace(cell, value).second) bad(fmt::format("'{}' has two meanings", printable_word(cell)));
    }
  }

  // What cells of a field may stand for, besides states.
  static std::string_view word_of(std::string_view field) {
    return field == "limit" ? "UNLIMITED" : field == "memory" ? "NODE" : "";
  }

  void take_separator() {
    need_sign('=', "separator");
    const std::string value = is_sign(',') ? tokens_[at_++].text : take_word("comma, tab, semicolon or pipe");
    need_end();
    constexpr std::pair<std::string_view, char> kSeparators[] = {
        {"comma", ','}, {"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}, {",", ','}, {";", ';'}, {"|", '|'}};
    for (const auto& [name, separator] : kSeparators) {
      if (value != name) continue;
      map_.separator = separator;
      return;
    }
    bad(fmt::format("'{}', expected comma, tab, semicolon or pipe", printable_word(value)));
  }

  // machine = NODES CPUS [MIB [GPUS]]; a line for each kind of nodes
  void take_machine() {
    need_sign('=', "machine");
    const auto number = [&](std::string_view what, std::int64_t least, std::int64_t most) {
      const std::string word = take_word(what);
      std::int64_t value = 0;
      if (parse_integer(word, value) != NumberStatus::kOk || value < least || value > most) {
        bad(fmt::format("'{}', expected {}, a whole number from {} to {}", printable_word(word), what, least, most));
        return least;
      }
      return value;
    };
    NodeKind kind;
    kind.name = fmt::format("of line {}", lines_.number());
    kind.shape.nodes = static_cast<int>(number("the number of nodes", 1, kMaxTraceNodes));
    kind.shape.cores = static_cast<int>(number("the CPUs of a node", 1, 65536));
    if (!ended()) kind.shape.memory_mib = number("the MiB of memory of a node (0: not modelled)", 0, kMaxTraceRigid);
    if (!ended()) kind.gpus = number("the GPUs of a node", 0, kMaxTraceTasks);
    need_end();
    NodeShape& all = map_.machine;
    if (!map_.kinds.empty() && (all.memory_mib == 0) != (kind.shape.memory_mib == 0)) {
      bad("memory is given for some nodes only, expected it in all lines of 'machine' or in none");
    }
    if (all.nodes + kind.shape.nodes > kMaxTraceNodes) bad(fmt::format("more than {} nodes in all", kMaxTraceNodes));
    all.nodes += kind.shape.nodes;
    all.cores = std::max(all.cores, kind.shape.cores);
    all.memory_mib = std::max(all.memory_mib, kind.shape.memory_mib);
    map_.kinds.push_back(std::move(kind));
  }

  void check() {
    for (std::size_t k = 0; k < kFields; ++k) {
      const CsvSource& source = map_.fields[k];
      if (!source.given && source.line > 0) bad_at(source.line, fmt::format("'{}' has no column", rules()[k].name));
    }
    const auto need = [&](bool there, std::string_view what) {
      if (there) return;
      refuse(fmt::format("{}: {}, expected a line such as '{} = COLUMN'", map_.source, what,
                         what.substr(0, what.find(' '))));
    };
    need(map_.has(CsvField::kSubmit), "submit is missing");
    need(map_.has(CsvField::kRunTime) || (map_.has(CsvField::kStart) && map_.has(CsvField::kEnd)),
         "run_time is missing, or start and end");
    need(map_.has(CsvField::kCpus) || map_.has(CsvField::kNodes), "cpus is missing, or nodes");
    for (std::size_t k = 0; k < kFields; ++k) {
      const CsvSource& source = map_.fields[k];
      if (source.per == CsvPer::kNode && !map_.has(CsvField::kNodes)) bad_at(source.line, "per node, but no 'nodes'");
      if (source.per == CsvPer::kTask && !map_.has(CsvField::kTasks)) bad_at(source.line, "per task, but no 'tasks'");
    }
  }

  LineSplitter lines_;
  CsvMap map_;
  std::optional<Error> error_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

CsvKind csv_kind(CsvField field) { return rules()[static_cast<std::size_t>(field)].kind; }
bool is_slurm_state(std::string_view word) {
  return std::find(states().begin(), states().end(), word) != states().end();
}
std::string_view csv_field_name(CsvField field) { return rules()[static_cast<std::size_t>(field)].name; }

Result<CsvMap> parse_csv_map(std::string_view text, std::string source) {
  return Parser(text, std::move(source)).parse();
}

}  // namespace dfrs::sim
