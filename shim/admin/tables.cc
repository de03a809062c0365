// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/counted.h"
#include "base/text_table.h"

namespace dfrs::shim {
namespace {

constexpr std::size_t kMaxName = 24;
constexpr std::size_t kMaxPlaces = 48;

// Job names and reasons come from users and may contain anything.
std::string printable(const std::string& text) { return base::printable(text, "?"); }

// Cut to `most` columns; a '+' at the end stands for the rest.
std::string shortened(std::string text, std::size_t most) {
  if (base::display_width(text) <= most) return text;
  return std::string(base::fitting(text, most - 1)) + "+";
}

std::string text_of(const Json& value) { return value.is_null() ? std::string() : value.get<std::string>(); }

// 1.50 -> "1.5", 4.00 -> "4".
std::string cpus_text(double cpus) {
  std::string text = fmt::format("{:.2f}", cpus);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// MiB as "512M", "7.5G", "1.2T".
std::string memory_text(std::uint64_t mib) {
  const auto value = static_cast<double>(mib);
  if (mib < 1024) return fmt::format("{}M", mib);
  const double large = mib < std::uint64_t{1024} * 1024 ? value / 1024 : value / 1024 / 1024;
  const char unit = mib < std::uint64_t{1024} * 1024 ? 'G' : 'T';
  return large < 100 && std::floor(large) != large ? fmt::format("{:.1f}{}", large, unit)
                                                   : fmt::format("{:.0f}{}", large, unit);
}

// A name split before the digits at its end.
struct Numbered {
  std::string stem;
  std::string digits;
  std::uint64_t number = 0;
};

Numbered split_number(const std::string& name) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9' && name.size() - begin < 18) --begin;
  Numbered out{name.substr(0, begin), name.substr(begin), 0};
  std::from_chars(out.digits.data(), out.digits.data() + out.digits.size(), out.number);
  return out;
}

std::string recording_line(const Json& record) {
  const std::string path = printable(text_of(record.at("path")));
  const std::string stopped = printable(text_of(record.at("stopped")));
  const std::string steps = base::counted(record.at("steps").get<std::uint64_t>(), "step");
  if (record.at("on").get<bool>()) return fmt::format("recording to {} ({})", path, steps);
  if (!stopped.empty()) return fmt::format("recording has stopped: {}: {} ({})", path, stopped, steps);
  if (!path.empty()) return fmt::format("not recording; the last record is {} ({})", path, steps);
  return "not recording";
}

// Empty if there were none, or if a controller of an earlier version does not say.
std::string checkpoints_line(const Json& all) {
  if (all.is_null() || all.at("attempts").get<std::uint64_t>() == 0) return {};
  return fmt::format("checkpoints: {}, {} failed, {} given up, {} in all; {} restored, {} started over\n",
                     base::counted(all.at("attempts").get<std::uint64_t>(), "attempt"),
                     all.at("failed").get<std::uint64_t>(), all.at("given_up").get<std::uint64_t>(),
                     memory_text(all.at("bytes").get<std::uint64_t>() >> 20), all.at("restored").get<std::uint64_t>(),
                     all.at("started_over").get<std::uint64_t>());
}

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 1e12));
  const long long days = whole / 86400;
  const long long hours = whole / 3600 % 24;
  const long long minutes = whole / 60 % 60;
  if (days > 0) return fmt::format("{}-{:02}:{:02}:{:02}", days, hours, minutes, whole % 60);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string places_text(const Json& places) {
  // A range: adjacent names with the same stem, consecutive numbers of the same length, and the same number of tasks.
  struct Run {
    Numbered first;
    Numbered last;
    std::uint64_t tasks;
  };
  std::vector<Run> runs;
  for (const auto& [name, tasks] : places.items()) {
    Numbered node = split_number(printable(name));
    const auto count = tasks.get<std::uint64_t>();
    if (!runs.empty() && !node.digits.empty()) {
      Run& run = runs.back();
      if (run.tasks == count && run.last.stem == node.stem && run.last.digits.size() == node.digits.size() &&
          node.number == run.last.number + 1) {
        run.last = std::move(node);
        continue;
      }
    }
    runs.push_back({node, node, count});
  }
  std::string text;
  for (const Run& run : runs) {
    std::string part = run.first.digits == run.last.digits
                           ? run.first.stem + run.first.digits
                           : fmt::format("{}[{}-{}]", run.first.stem, run.first.digits, run.last.digits);
    if (run.tasks != 1) part += fmt::format(":{}", run.tasks);
    if (!text.empty() && text.size() + part.size() > kMaxPlaces) {
      return fmt::format("{},... ({} nodes)", text, places.size());
    }
    text += (text.empty() ? "" : ",") + part;
  }
  return text;
}

std::string status_table(const Json& answer, const UserNames& users) {
  const Json& jobs = answer.at("jobs");
  std::string out =
      fmt::format("cluster {}: {} every {} s, quotas {}; {} on {}\n",
                  printable(answer.at("cluster").get<std::string>()), answer.at("algorithm").get<std::string>(),
                  answer.at("period_s").get<double>(), answer.at("enforce_quotas").get<bool>() ? "enforced" : "off",
                  base::counted(jobs.size(), "job"), base::counted(answer.at("nodes").get<std::uint64_t>(), "node"));
  // A controller of an earlier version does not say.
  if (const std::string error = printable(text_of(answer.value("config_error", Json()))); !error.empty()) {
    out += "dfrs.conf is not in force: " + error + "\n";
  }
  if (answer.at("now").is_null()) {
    out += "no scheduling step yet: waiting for slurmctld\n";
  } else {
    out += fmt::format("{}, {}, {}, {}; the last took {:.1f} ms, the longest {:.1f} ms\n",
                       base::counted(answer.at("steps").get<std::uint64_t>(), "step"),
                       base::counted(answer.at("decisions").get<std::uint64_t>(), "decision"),
                       base::counted(answer.at("resyncs").get<std::uint64_t>(), "resync"),
                       base::counted(answer.at("errors").get<std::uint64_t>(), "error"),
                       answer.at("last_step_ms").get<double>(), answer.at("max_step_ms").get<double>());
  }
  if (const std::string error = printable(text_of(answer.at("last_error"))); !error.empty()) {
    out += "last error: " + error + "\n";
  }
  if (const auto lost = answer.at("lost_runs").get<std::uint64_t>(); lost != 0) {
    out += fmt::format("work lost to requeues: {} of virtual time in {}\n",
                       duration_text(answer.at("lost_work_s").get<double>()), base::counted(lost, "run"));
  }
  out += checkpoints_line(answer.value("checkpoints", Json()));
  out += recording_line(answer.at("record")) + "\n\n";
  if (jobs.empty()) return out + "no jobs in managed partitions\n";

  using base::Align;
  base::TextTable table;
  table.column("JOBID", Align::right);
  table.column("PARTITION");
  table.column("NAME");
  table.column("USER");
  table.column("STATE");
  table.column("YIELD", Align::right);
  table.column("VTIME", Align::right);
  table.column("TIME", Align::right);
  table.column("PAUSES", Align::right);
  table.column("MOVES", Align::right);
  table.column("LOST", Align::right);
  table.column("NODES");
  table.column("NOTE");
  for (const Json& job : jobs) {
    const double yield = job.at("yield").get<double>();
    const auto lost = job.at("lost_runs").get<std::uint64_t>();
    std::string note = printable(text_of(job.at("reason")));
    const auto add = [&](const std::string& more) { note += (note.empty() ? "" : "; ") + more; };
    if (!job.at("target").is_null()) add("to " + places_text(job.at("target")));
    if (job.at("quota_pending").get<bool>()) add("quota pending");
    const Json checkpoint = job.value("checkpoint", Json());
    if (!checkpoint.is_null() && !checkpoint.at("why_not").is_null())
      add("cannot be checkpointed: " + printable(text_of(checkpoint.at("why_not"))));
    table.row(
        {std::to_string(job.at("job").get<std::uint64_t>()),
         shortened(printable(job.at("partition").get<std::string>()), kMaxName),
         shortened(printable(job.at("name").get<std::string>()), kMaxName),
         shortened(printable(users(job.at("user_id").get<std::uint32_t>())), kMaxName),
         job.at("state").get<std::string>(), yield > 0 ? fmt::format("{:.3f}", yield) : "-",
         duration_text(job.at("virtual_time_s").get<double>()), duration_text(job.at("flow_time_s").get<double>()),
         std::to_string(job.at("pauses").get<std::uint64_t>()), std::to_string(job.at("moves").get<std::uint64_t>()),
         lost == 0 ? "-" : fmt::format("{}x {}", lost, duration_text(job.at("lost_work_s").get<double>())),
         places_text(job.at("nodes")), note});
  }
  return out + table.text();
}

std::string nodes_table(const Json& answer) {
  const Json& nodes = answer.at("nodes");
  if (nodes.empty()) return "no nodes yet: waiting for slurmctld\n";
  using base::Align;
  base::TextTable table;
  table.column("NODE");
  table.column("STATE");
  table.column("JOBS", Align::right);
  table.column("SUSPENDED", Align::right);
  table.column("CPUS", Align::right);
  table.column("FOREIGN", Align::right);
  table.column("ALLOCATED", Align::right);
  table.column("DEMANDED", Align::right);
  table.column("MEMORY", Align::right);
  table.column("FOREIGN MEM", Align::right);
  table.column("USED MEM", Align::right);
  table.column("SWAP FREE", Align::right);
  table.column("AGENT");
  for (const Json& node : nodes) {
    const Json& agent = node.at("agent");
    std::string word = "-";
    if (!agent.is_null()) {
      const Json& age = agent.at("age_s");
      const std::string error = printable(text_of(agent.at("error")));
      if (agent.at("reachable").get<bool>()) {
        word = agent.at("current").get<bool>() ? "current" : "quota pending";
      } else {
        word = age.is_null() ? "never heard" : fmt::format("silent for {}", duration_text(age.get<double>()));
      }
      if (!error.empty()) word += ": " + error;
    }
    const auto swap = node.at("swap_total_mib").get<std::uint64_t>();
    table.row(
        {printable(node.at("node").get<std::string>()),
         std::string(node.at("usable").get<bool>() ? "usable" : "unusable") +
             (node.at("completing").get<bool>() ? "+completing" : ""),
         std::to_string(node.at("jobs").get<std::uint64_t>()),
         std::to_string(node.at("suspended_jobs").get<std::uint64_t>()), cpus_text(node.at("cpus").get<double>()),
         cpus_text(node.at("foreign_cpus").get<double>()), cpus_text(node.at("allocated_cpus").get<double>()),
         cpus_text(node.at("demanded_cpus").get<double>()), memory_text(node.at("memory_mib").get<std::uint64_t>()),
         memory_text(node.at("foreign_memory_mib").get<std::uint64_t>()),
         memory_text(node.at("used_memory_mib").get<std::uint64_t>()),
         swap == 0
             ? "-"
             : fmt::format("{}/{}", memory_text(node.at("swap_free_mib").get<std::uint64_t>()), memory_text(swap)),
         word});
  }
  return table.text();
}

std::string explain_text(const Json& answer) {
  std::string out;
  for (const Json& line : answer.at("lines")) out += printable(line.get<std::string>()) + "\n";
  return out;
}

std::string repack_table(const Json& answer) {
  const Json& moves = answer.at("moves");
  const Json& yields = answer.at("yields");
  std::string out =
      fmt::format("{} would do this now; nothing has been done:\n", answer.at("algorithm").get<std::string>());
  out += fmt::format("smallest yield of running jobs {:.3f} now, {:.3f} then; {}, {}\n",
                     answer.at("min_yield_before").get<double>(), answer.at("min_yield_after").get<double>(),
                     base::counted(moves.size(), "placement"),
                     base::counted(yields.size(), "change of yield", "changes of yield"));
  using base::Align;
  if (!moves.empty()) {
    base::TextTable table;
    table.column("JOBID", Align::right);
    table.column("ACTION");
    table.column("FROM");
    table.column("TO");
    for (const Json& move : moves) {
      table.row({std::to_string(move.at("job").get<std::uint64_t>()), move.at("action").get<std::string>(),
                 places_text(move.at("from")), places_text(move.at("to"))});
    }
    out += "\n" + table.text();
  }
  if (!yields.empty()) {
    base::TextTable table;
    table.column("JOBID", Align::right);
    table.column("YIELD", Align::right);
    table.column("THEN", Align::right);
    for (const Json& yield : yields) {
      table.row({std::to_string(yield.at("job").get<std::uint64_t>()),
                 fmt::format("{:.3f}", yield.at("from").get<double>()),
                 fmt::format("{:.3f}", yield.at("to").get<double>())});
    }
    out += "\n" + table.text();
  }
  return out;
}

std::string recording_text(const Json& answer) { return recording_line(answer) + "\n"; }

}  // namespace dfrs::shim
