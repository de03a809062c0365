// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/anonymise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "sim/workload/number_parser.h"
#include "sim/workload/sacct/fields.h"
#include "sim/workload/sacct/reader.h"
#include "sim/workload/sacct/table.h"
#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr Seconds kWeekSeconds = 604800;
constexpr Seconds kFirstMonday = 978307200;  // 2001-01-01T00:00:00, UTC

enum class Kind { kDrop, kKeep, kName, kUserId, kGroupId, kState, kJobName, kNodes, kJob, kTime, kTres, kMark };

struct Rule {
  std::string_view column;
  Kind kind;
  std::string_view prefix = {};  // of names
};

// By lower-case name. Other columns are emptied.
constexpr Rule kRules[] = {
    {"user", Kind::kName, "user"},
    {"group", Kind::kName, "group"},
    {"account", Kind::kName, "account"},
    {"partition", Kind::kName, "part"},
    {"qos", Kind::kName, "qos"},
    {"qosreq", Kind::kName, "qos"},
    {"cluster", Kind::kName, "cluster"},
    {"jobname", Kind::kJobName, "job"},
    {"nodelist", Kind::kNodes, "node"},
    {"maxrssnode", Kind::kNodes, "node"},
    {"uid", Kind::kUserId},
    {"gid", Kind::kGroupId},
    {"jobid", Kind::kJob},
    {"jobidraw", Kind::kJob},
    {"state", Kind::kState},
    {"submit", Kind::kTime},
    {"eligible", Kind::kTime},
    {"start", Kind::kTime},
    {"end", Kind::kTime},
    {"alloctres", Kind::kTres},
    {"reqtres", Kind::kTres},
    {"tresusageintot", Kind::kTres},
    {"tresusageinmax", Kind::kTres},
    {"tresusageinave", Kind::kTres},
    {"elapsed", Kind::kKeep},
    {"elapsedraw", Kind::kKeep},
    {"timelimit", Kind::kKeep},
    {"timelimitraw", Kind::kKeep},
    {"nnodes", Kind::kKeep},
    {"allocnodes", Kind::kKeep},
    {"reqnodes", Kind::kKeep},
    {"ntasks", Kind::kKeep},
    {"alloccpus", Kind::kKeep},
    {"ncpus", Kind::kKeep},
    {"reqcpus", Kind::kKeep},
    {"reqmem", Kind::kKeep},
    {"maxrss", Kind::kKeep},
    {"averss", Kind::kKeep},
    {"maxvmsize", Kind::kKeep},
    {"totalcpu", Kind::kKeep},
    {"usercpu", Kind::kKeep},
    {"systemcpu", Kind::kKeep},
    {"cputime", Kind::kKeep},
    {"cputimeraw", Kind::kKeep},
    {"avecpu", Kind::kKeep},
    {"mincpu", Kind::kKeep},
    {"suspended", Kind::kKeep},
    {"exitcode", Kind::kKeep},
    {"derivedexitcode", Kind::kKeep},
    {"priority", Kind::kKeep},
    {"reserved", Kind::kKeep},
    {"planned", Kind::kKeep},
    {"restarts", Kind::kKeep},
    {"line", Kind::kKeep},
    {"comment", Kind::kMark},
};

Rule rule_of(std::string_view column) {
  std::string lower(column);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const Rule& rule : kRules) {
    if (rule.column == lower) return rule;
  }
  return {column, Kind::kDrop};
}

class Anonymiser {
 public:
  Anonymiser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Result<std::string> run() {
    if (auto surveyed = survey(); !surveyed) return tl::unexpected(std::move(surveyed).error());
    std::string out;
    each_row([&](const std::vector<std::string_view>& cells) {
      for (std::size_t k = 0; k < cells.size(); ++k) {
        if (k > 0) out += header_->delimiter();
        out += changed(rules_[k], cells[k]);
      }
      out += '\n';
    });
    std::string head;
    for (std::size_t k = 0; k < header_->names().size(); ++k) {
      if (k > 0) head += header_->delimiter();
      head += header_->names()[k];
    }
    return head + '\n' + out;
  }

 private:
  template <typename Row>
  void each_row(const Row& row) {
    LineSplitter lines(text_);
    bool began = false;
    std::vector<std::string_view> cells;
    for (std::string_view line; lines.next(line);) {
      if (trimmed(line).empty()) continue;
      if (!began) {
        began = true;
        continue;  // the header line
      }
      if (header_->repeated_by(line) || !header_->split(line, cells)) continue;
      row(cells);
    }
  }

  // Finds the lowest job number and the first submission, which give the offsets of all job numbers and times.
  Result<void> survey() {
    LineSplitter lines(text_);
    for (std::string_view line; lines.next(line);) {
      if (trimmed(line).empty()) continue;
      header_ = SacctHeader::recognise(line);
      break;
    }
    if (!header_) return input_error(fmt::format("{}: no header line of sacct, nothing can be anonymised", source_));
    for (const std::string& name : header_->names()) rules_.push_back(rule_of(name));
    Seconds first = kMaxTraceSeconds;
    std::int64_t least = INT64_MAX;
    each_row([&](const std::vector<std::string_view>& cells) {
      if (const auto submit = parse_instant(header_->cell(cells, SacctColumn::kSubmit)))
        first = std::min(first, *submit);
      for (std::size_t k = 0; k < cells.size(); ++k) {
        if (rules_[k].kind != Kind::kJob) continue;
        if (const auto number = leading_number(cells[k])) least = std::min(least, *number);
      }
    });
    job_offset_ = least == INT64_MAX ? 0 : least - 1;
    // Whole weeks from a Monday keep the day of the week and the hour.
    weeks_ = first == kMaxTraceSeconds ? 0 : std::floor((first - kFirstMonday) / kWeekSeconds) * kWeekSeconds;
    return {};
  }

  static std::optional<std::int64_t> leading_number(std::string_view text) {
    const std::string_view number = text.substr(0, text.find_first_not_of("0123456789"));
    std::int64_t value = 0;
    if (number.empty() || parse_integer(number, value) != NumberStatus::kOk) return std::nullopt;
    return value;
  }

  std::string changed(const Rule& rule, std::string_view cell) {
    switch (rule.kind) {
      case Kind::kDrop:
        return {};
      case Kind::kKeep:
        // These columns hold only numbers, durations and Slurm's keywords; a longer text does not belong there.
        return cell.size() <= 40 ? std::string(cell) : std::string();
      case Kind::kName:
        if (says_unknown(cell)) return std::string(cell);
        return several(rule.prefix, cell);
      case Kind::kJobName:
        if (cell == "batch" || cell == "extern" || cell == "interactive" || cell.empty()) return std::string(cell);
        return numbered(rule.prefix, cell);
      case Kind::kUserId:
        return cell.empty() ? std::string() : number_of("uid", cell);
      case Kind::kGroupId:
        return cell.empty() ? std::string() : number_of("gid", cell);
      case Kind::kState: {
        constexpr std::string_view kBy = " by ";
        const std::size_t by = cell.find(kBy);
        if (by == std::string_view::npos) return std::string(cell.substr(0, cell.find(' ')));
        return fmt::format("{}{}{}", cell.substr(0, by), kBy, number_of("uid", cell.substr(by + kBy.size())));
      }
      case Kind::kNodes:
        return nodes(rule.prefix, cell);
      case Kind::kJob: {
        const auto number = leading_number(cell);
        if (!number) return {};
        const std::size_t rest = cell.find_first_not_of("0123456789");
        return std::to_string(*number - job_offset_) +
               (rest == std::string_view::npos ? std::string() : std::string(cell.substr(rest)));
      }
      case Kind::kTime: {
        const auto instant = parse_instant(cell);
        if (!instant) return says_unknown(cell) ? std::string(cell) : std::string();
        const Seconds moved = std::max(0.0, *instant - weeks_);
        return cell.find('-') == std::string_view::npos ? fmt::format("{:.0f}", moved) : format_instant(moved);
      }
      case Kind::kTres:
        return tres(cell);
      case Kind::kMark:
        return has_checkpoint_mark(cell) ? std::string(kCheckpointMark) : std::string();
    }
    return {};
  }

  std::string number_of(std::string_view prefix, std::string_view name) {
    auto& names = names_[std::string(prefix)];
    return std::to_string(names.try_emplace(std::string(name), names.size() + 1).first->second);
  }

  std::string numbered(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + number_of(prefix, name);
  }

  // One name, or several separated by commas (partitions of a job).
  std::string several(std::string_view prefix, std::string_view names) {
    std::string out;
    each_item(names, [&](std::string_view name) { out += (out.empty() ? "" : ",") + numbered(prefix, name); });
    return out;
  }

  std::string nodes(std::string_view prefix, std::string_view cell) {
    if (says_unknown(cell) || cell == "None assigned") return std::string(cell);
    std::string out;
    const bool good =
        each_host(cell, [&](const std::string& name) { out += (out.empty() ? "" : ",") + numbered(prefix, name); });
    return good ? out : std::string();
  }

  std::string tres(std::string_view cell) {
    std::string out;
    while (!cell.empty()) {
      const std::string_view item = cell.substr(0, cell.find(','));
      cell.remove_prefix(std::min(cell.size(), item.size() + 1));
      const std::string_view name = item.substr(0, item.find('='));
      const bool own =
          name == "cpu" || name == "mem" || name == "node" || name == "billing" || name.starts_with("gres/");
      constexpr std::string_view kLicence = "license/";
      if (own) {
        out += (out.empty() ? "" : ",") + std::string(item);
      } else if (name.starts_with(kLicence) && name.size() < item.size()) {
        out += fmt::format("{}{}{}{}", out.empty() ? "" : ",", kLicence,
                           numbered("licence", name.substr(kLicence.size())), item.substr(name.size()));
      }
    }
    return out;
  }

  std::string_view text_;
  const std::string& source_;
  std::optional<SacctHeader> header_;
  std::vector<Rule> rules_;
  std::int64_t job_offset_ = 0;
  Seconds weeks_ = 0;
  std::map<std::string, std::map<std::string, std::size_t>> names_;  // prefix -> name -> number
};

}  // namespace

Result<std::string> anonymise_sacct(std::string_view text, const std::string& source) {
  return Anonymiser(text, source).run();
}

}  // namespace dfrs::sim
