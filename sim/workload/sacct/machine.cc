// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sim/workload/number_parser.h"
#include "sim/workload/sacct/fields.h"

namespace dfrs::sim {
namespace {

constexpr int kMostCores = 65536;
constexpr double kAlike = 1.25;

int round_up(int amount, int parts) { return (amount + parts - 1) / parts; }

RigidAmount mib_of(double memory) {
  return static_cast<RigidAmount>(std::ceil(std::min(memory, static_cast<double>(kMaxTraceRigid))));
}

// "gpu#-#" for "gpu03-1".
std::string without_numbers(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

bool alike(double a, double b) { return std::max(a, b) <= kAlike * std::min(a, b); }

bool alike(const NodeKind& a, const NodeKind& b) {
  return a.gpus == b.gpus && alike(a.shape.cores, b.shape.cores) &&
         alike(static_cast<double>(a.shape.memory_mib), static_cast<double>(b.shape.memory_mib));
}

// Kinds that are alike become one, by the name of the first.
std::vector<NodeKind> merged(const std::vector<NodeKind>& kinds) {
  std::vector<NodeKind> out;
  for (const NodeKind& kind : kinds) {
    const auto like = std::find_if(out.begin(), out.end(), [&](const NodeKind& each) { return alike(each, kind); });
    if (like == out.end()) {
      out.push_back(kind);
      continue;
    }
    like->shape.nodes += kind.shape.nodes;
    like->shape.cores = std::max(like->shape.cores, kind.shape.cores);
    like->shape.memory_mib = std::max(like->shape.memory_mib, kind.shape.memory_mib);
  }
  return out;
}

// The kinds that the jobs' host lists name, without amounts, and which of them each list is of.
class Names {
 public:
  static constexpr std::size_t kSeveral = ~std::size_t{0};

  // False if the text is no host list, or names too many nodes or kinds.
  bool take(const std::string& list) {
    const auto [at, fresh] = kind_of_.try_emplace(list, kSeveral);
    if (!fresh) return true;
    std::size_t first = kSeveral;
    bool one = true;
    const bool good = each_host(list, [&](const std::string& name) {
      const std::size_t kind = number(without_numbers(name));
      if (names_.insert(name).second) ++kinds_[kind].shape.nodes;
      one = one && (first == kSeveral || kind == first);
      first = kind;
    });
    if (one) at->second = first;
    return good && kinds_.size() <= kMostKinds && names_.size() <= kMostSlurmNodes;
  }
  std::size_t kind_of(const std::string& list) const { return kind_of_.at(list); }
  std::vector<NodeKind>& kinds() { return kinds_; }

 private:
  std::size_t number(const std::string& name) {
    const auto [at, fresh] = number_.try_emplace(name, kinds_.size());
    if (fresh) kinds_.push_back({name, {}, 0});
    return at->second;
  }

  std::unordered_map<std::string, std::size_t> kind_of_, number_;
  std::unordered_set<std::string> names_;
  std::vector<NodeKind> kinds_;
};

// What jobs that ran on one node alone held there at once, at most.
struct Peak {
  double cpus = 0;
  double memory_mib = 0;
};

std::vector<Peak> peaks_of(const SacctLog& log, const Names& names, std::size_t kinds) {
  struct Change {
    Seconds at;
    bool begins;  // at one instant, ends come first
    double cpus, memory_mib;
  };
  std::unordered_map<std::string_view, std::vector<Change>> by_node;
  for (const SacctJob& job : log.jobs) {
    if (job.nodes != 1 || job.nodes_used.empty() || job.start < 0 || job.run_time <= 0) continue;
    const double memory = std::max(0.0, job.requested_mib);
    std::vector<Change>& changes = by_node[job.nodes_used];
    changes.push_back({job.start, true, static_cast<double>(job.cpus), memory});
    changes.push_back({job.start + job.run_time, false, static_cast<double>(-job.cpus), -memory});
  }
  std::vector<Peak> peaks(kinds);
  for (auto& [node, changes] : by_node) {
    const std::size_t kind = names.kind_of(std::string(node));
    if (kind == Names::kSeveral) continue;
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.at != b.at ? a.at < b.at : a.begins < b.begins; });
    Peak now;
    for (const Change& change : changes) {
      now.cpus += change.cpus;
      now.memory_mib += change.memory_mib;
      peaks[kind].cpus = std::max(peaks[kind].cpus, now.cpus);
      peaks[kind].memory_mib = std::max(peaks[kind].memory_mib, now.memory_mib);
    }
  }
  return peaks;
}

}  // namespace

Platform Machine::platform() const {
  if (kinds.empty()) return Platform::homogeneous(static_cast<std::size_t>(shape.nodes), shape.memory_mib);
  Platform platform;
  for (const NodeKind& kind : kinds) {
    NodeSpec node;
    node.cpu = static_cast<double>(kind.shape.cores) / shape.cores;
    node.rigid[kMemory] = kind.shape.memory_mib;
    node.rigid[kGpus] = kind.gpus;
    if (kind.gpus > 0) platform.rigid_dims = kGpus + 1;
    platform.nodes.insert(platform.nodes.end(), static_cast<std::size_t>(kind.shape.nodes), node);
  }
  return platform;
}

std::int64_t Machine::cpus() const {
  if (kinds.empty()) return std::int64_t{shape.nodes} * shape.cores;
  std::int64_t cpus = 0;
  for (const NodeKind& kind : kinds) cpus += std::int64_t{kind.shape.nodes} * kind.shape.cores;
  return cpus;
}

NodeShape infer_shape(const SacctLog& log) {
  NodeShape shape;
  std::unordered_set<std::string> names;
  std::unordered_set<std::string> lists;
  bool all_named = true;
  double memory = 0;
  for (const SacctJob& job : log.jobs) {
    shape.cores = std::max(shape.cores, round_up(job.cpus, job.nodes));
    memory = std::max(memory, job.requested_mib / job.nodes);
    if (job.nodes_used.empty() || !lists.insert(job.nodes_used).second) continue;
    all_named = all_named && each_host(job.nodes_used, [&](const std::string& name) { names.insert(name); });
  }
  shape.memory_mib = mib_of(memory);
  if (all_named && names.size() <= kMostSlurmNodes) shape.nodes = static_cast<int>(names.size());
  return shape;
}

std::vector<NodeKind> infer_kinds(const SacctLog& log) {
  Names names;
  for (const SacctJob& job : log.jobs) {
    if (!job.nodes_used.empty() && !names.take(job.nodes_used)) return {};
  }
  std::vector<NodeKind>& kinds = names.kinds();
  RigidAmount most_memory = 0;
  int most_cores = 0;
  for (const SacctJob& job : log.jobs) {
    const std::size_t at = job.nodes_used.empty() ? Names::kSeveral : names.kind_of(job.nodes_used);
    if (at == Names::kSeveral) continue;
    NodeKind& kind = kinds[at];
    kind.shape.cores = std::max(kind.shape.cores, round_up(job.cpus, job.nodes));
    kind.shape.memory_mib = std::max(kind.shape.memory_mib, mib_of(std::max(0.0, job.requested_mib) / job.nodes));
    kind.gpus = std::max<RigidAmount>(kind.gpus, round_up(job.gpus, job.nodes));
    most_memory = std::max(most_memory, kind.shape.memory_mib);
    most_cores = std::max(most_cores, kind.shape.cores);
  }
  const std::vector<Peak> peaks = peaks_of(log, names, kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    NodeShape& shape = kinds[k].shape;
    // No job ran there alone: nothing is known but that it is a node.
    if (shape.cores == 0) return {};
    if (shape.memory_mib == 0) shape.memory_mib = most_memory;
    // Several jobs at once may show that a node has more than one of them had; where Slurm lets them share CPUs, it
    // shows too much.
    const auto cores = static_cast<int>(std::min<double>(peaks[k].cpus, most_cores));
    shape.cores = std::max(shape.cores, cores);
    shape.memory_mib =
        std::max(shape.memory_mib, mib_of(std::min(peaks[k].memory_mib, static_cast<double>(most_memory))));
  }
  std::vector<NodeKind> all = merged(kinds);
  if (all.empty() || (all.size() == 1 && all.front().gpus == 0)) return {};
  return all;
}

Machine machine_of_kinds(std::vector<NodeKind> kinds) {
  Machine machine{{}, std::move(kinds)};
  for (const NodeKind& kind : machine.kinds) {
    machine.shape.nodes += kind.shape.nodes;
    machine.shape.cores = std::max(machine.shape.cores, std::min(kind.shape.cores, kMostCores));
    machine.shape.memory_mib = std::max(machine.shape.memory_mib, kind.shape.memory_mib);
  }
  return machine;
}

namespace {

Result<void> check(std::string_view what, std::int64_t value, std::int64_t most) {
  if (value < 0 || value > most) return usage_error(fmt::format("{}: {}, expected 1 to {}", what, value, most));
  return {};
}

Result<void> check(const NodeShape& given) {
  return check("nodes", given.nodes, kMaxTraceNodes)
      .and_then([&] { return check("cores per node", given.cores, kMostCores); })
      .and_then([&] { return check("memory per node in MiB", given.memory_mib, kMaxTraceRigid); });
}

}  // namespace

Result<Machine> machine_of(const SacctLog& log, const NodeShape& given) {
  if (auto checked = check(given); !checked) return tl::unexpected(std::move(checked).error());
  Machine machine{given, {}};
  NodeShape& shape = machine.shape;
  if (shape.nodes == 0 && shape.cores == 0 && shape.memory_mib == 0) {
    if (std::vector<NodeKind> kinds = infer_kinds(log); !kinds.empty()) return machine_of_kinds(std::move(kinds));
  }
  if (shape.nodes > 0 && shape.cores > 0 && shape.memory_mib > 0) return machine;
  const NodeShape seen = infer_shape(log);
  if (shape.nodes == 0) shape.nodes = seen.nodes;
  if (shape.cores == 0) shape.cores = std::min(seen.cores, kMostCores);
  if (shape.memory_mib == 0) shape.memory_mib = seen.memory_mib;
  if (shape.nodes == 0) {
    return usage_error(fmt::format(
        "{}: the accounting does not name the nodes of its jobs (column NodeList), so their number is not known; give "
        "the cluster's (--nodes N, and best --cores C and --memory MIB, too)",
        log.source));
  }
  return machine;
}

std::string describe_kind(const NodeKind& kind) {
  std::string text = fmt::format("{} node{} {} of {} CPU{}", kind.shape.nodes, kind.shape.nodes == 1 ? "" : "s",
                                 kind.name, kind.shape.cores, kind.shape.cores == 1 ? "" : "s");
  if (kind.shape.memory_mib > 0) text += fmt::format("{} {} MiB", kind.gpus > 0 ? "," : " and", kind.shape.memory_mib);
  if (kind.gpus > 0) text += fmt::format(" and {} GPU{}", kind.gpus, kind.gpus == 1 ? "" : "s");
  return text;
}

namespace {

std::string describe_guess(const SacctLog& log, const NodeShape& given, const Machine& machine) {
  const NodeShape& shape = machine.shape;
  std::string guessed;
  std::string options;
  const auto described = [](const std::vector<NodeKind>& kinds) {
    std::string text;
    for (const NodeKind& kind : kinds) text += (text.empty() ? "" : "; ") + describe_kind(kind);
    return text;
  };
  if (!machine.kinds.empty()) {
    return fmt::format(
        "machine taken from what jobs had of it: {}; --nodes, --cores and --memory make it one of equal nodes "
        "without GPUs",
        described(machine.kinds));
  }
  // Options that make a cluster of unequal nodes one of equal nodes change the model: say so.
  std::string equal;
  if (const std::vector<NodeKind> kinds = infer_kinds(log); !kinds.empty()) {
    equal = fmt::format("all nodes are equal and without GPUs, by --nodes, --cores or --memory; the jobs show {}",
                        described(kinds));
  }
  const auto add = [&](const std::string& what, std::string_view option) {
    guessed += fmt::format("{}{}", guessed.empty() ? "" : ", ", what);
    options += fmt::format("{}{}", options.empty() ? "" : ", ", option);
  };
  if (given.nodes == 0) add(fmt::format("{} node{}", shape.nodes, shape.nodes == 1 ? "" : "s"), "--nodes");
  if (given.cores == 0) add(fmt::format("{} CPU{} per node", shape.cores, shape.cores == 1 ? "" : "s"), "--cores");
  if (given.memory_mib == 0) {
    add(shape.memory_mib == 0 ? std::string("no memory (not modelled)")
                              : fmt::format("{} MiB per node", shape.memory_mib),
        "--memory");
  }
  if (guessed.empty()) return equal;
  return fmt::format("machine taken from what jobs had of it: {}; if it is larger, give {}{}{}", guessed, options,
                     equal.empty() ? "" : "; ", equal);
}

}  // namespace

Result<std::string> describe_guess(const SacctLog& log, const NodeShape& given) {
  return machine_of(log, given).map([&](const Machine& machine) { return describe_guess(log, given, machine); });
}

}  // namespace dfrs::sim
