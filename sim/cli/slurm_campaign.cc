// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/slurm_campaign.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "base/sha256.h"
#include "sim/campaign/selection.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {
namespace {

namespace fs = std::filesystem;

constexpr int kSubmissions = 3;  // per call, as long as each reduces what is missing
constexpr int kSilences = 120;   // consecutive failures of squeue before giving up
constexpr std::chrono::milliseconds kFirstLook{200};
constexpr std::chrono::milliseconds kLooks{5000};
constexpr std::string_view kRun = "run-";

std::string whole_path(const std::string& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder), error);
  if (error) throw IoError(fmt::format("{}: cannot find this folder: {}", folder, error.message()));
  std::string text = whole.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  or_throw(check_slurm_folder(text));
  return text;
}

std::string made(const std::string& folder) {
  or_throw(make_folder(folder));
  return folder;
}

// Numbers of existing runs, ascending.
std::vector<std::size_t> runs_in(const std::string& folder) {
  std::vector<std::size_t> runs;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::size_t number = 0;
    if (!name.starts_with(kRun)) continue;
    const char* last = name.data() + name.size();
    if (const auto [stop, bad] = std::from_chars(name.data() + kRun.size(), last, number);
        bad == std::errc{} && stop == last) {
      runs.push_back(number);
    }
  }
  if (error) throw IoError(fmt::format("{}: cannot read this folder: {}", folder, error.message()));
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::string run_folder(const std::string& folder, std::size_t run) { return fmt::format("{}/{}{}", folder, kRun, run); }

// The last non-blank line of a log.
std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last;
}

// A status line on standard error that is updated in place, if it is a terminal.
class Status {
 public:
  ~Status() { say({}); }
  void say(const std::string& line) {
    if (!terminal_ || line == shown_) return;
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    shown_ = line;
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::string shown_;
};

std::string describe(const SlurmQueue& queue) {
  std::string text = fmt::format("{} tasks running, {} waiting", queue.running, queue.waiting);
  if (!queue.reason.empty()) text += fmt::format(" ({})", queue.reason);
  return text;
}

SlurmQueue queue_now(const std::string& name) {
  std::string error;
  if (auto queue = or_throw(slurm_queue(name, error))) return *queue;
  throw SlurmError(fmt::format("squeue fails: {}; try again when slurmctld answers", error));
}

// Waits until no task of this name is left.
void wait_for_tasks(const std::string& name) {
  Status status;
  bool told = false;
  int silences = 0;
  for (auto pause = kFirstLook;; pause = std::min(kLooks, pause * 3 / 2)) {
    std::string error;
    const std::optional<SlurmQueue> queue = or_throw(slurm_queue(name, error));
    if (!queue) {
      if (silences == 0) {
        status.say({});
        fmt::print(stderr, "squeue fails: {}; trying again for {} minutes, or press Ctrl-C: the jobs continue\n", error,
                   kSilences * kLooks / std::chrono::minutes(1));
      }
      if (++silences == kSilences) {
        throw SlurmError(fmt::format("squeue has failed {} times: {}; the jobs continue; run the same command again",
                                     silences, error));
      }
    } else {
      silences = 0;
      if (queue->running + queue->waiting == 0) return;
      status.say(describe(*queue));
      if (queue->held && !std::exchange(told, true)) {
        status.say({});
        fmt::print(stderr, "tasks of {} are held ({}); release them with `scontrol release JobName={}`\n", name,
                   queue->reason, name);
      }
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

SlurmCampaign::SlurmCampaign(const SlurmOptions& options, std::vector<StoreFact> facts)
    : options_(options),
      facts_(std::move(facts)),
      folder_(whole_path(options.folder)),
      name_("dfrs-compare-" + base::sha256_hex(folder_).substr(0, 10)),
      store_(or_throw(ResultStore::open(made(folder_) + "/results.db", facts_, ResultStore::Access::exclusive))) {
  or_throw(check_sbatch_options(options_.sbatch));
}

void SlurmCampaign::take_in_parts() {
  for (const std::size_t run : runs_in(folder_)) {
    SlurmArray array;
    array.folder = run_folder(folder_, run);
    std::ifstream plan(fmt::format("{}/{}", array.folder, kPlanFile));
    std::size_t task = 0;
    for (std::string line; std::getline(plan, line);) {
      const std::string part = task_store(array, ++task);
      std::error_code error;
      if (!fs::exists(part, error)) continue;  // the task never got this far
      const Result<void> taken = store_->take_in(part, facts_);
      if (taken) continue;
      if (taken.error().code == kExitUsage) throw Failure(taken.error());  // other instances: the nodes see other files
      fmt::print(stderr, "{}; its simulations will run again\n", taken.error().message);
    }
  }
}

SlurmArray SlurmCampaign::write_run(std::span<const std::size_t> missing, unsigned threads) {
  const std::vector<std::size_t> runs = runs_in(folder_);
  SlurmArray array;
  array.name = name_;
  array.at_once = options_.at_once;
  array.cpus = std::max(1U, threads);  // 0 means all processors of this machine
  array.partition = options_.partition;
  array.time = options_.time;
  array.options = options_.sbatch;
  array.folder = run_folder(folder_, runs.empty() ? 1 : runs.back() + 1);
  array.command = options_.command;
  array.sources = options_.sources;
  or_throw(make_folder(array.folder));
  std::string plan;
  const auto parts = in_parts(missing, options_.tasks);
  for (const std::span<const std::size_t> part : parts) plan += selection_text(part) + "\n";
  array.tasks = parts.size();
  or_throw(write_file(fmt::format("{}/{}", array.folder, kPlanFile), plan));
  or_throw(write_file(array.folder + "/script", array_script(array)));
  return array;
}

bool SlurmCampaign::complete(std::span<const Instance> instances, std::span<const Algorithm> algorithms,
                             CampaignOptions campaign, std::string& next) {
  campaign.store = store_.get();
  const std::size_t total = instances.size() * algorithms.size();
  SlurmArray array;
  std::size_t before = 0;
  for (int submissions = 0;; ++submissions) {
    if (options_.submit && !options_.wait) {
      if (const SlurmQueue queue = queue_now(name_); queue.running + queue.waiting != 0) {
        next = fmt::format("{} of {}; run the same command again to continue\n", describe(queue), name_);
        return false;
      }
    } else if (options_.submit) {
      wait_for_tasks(name_);
    }
    take_in_parts();
    const std::vector<std::size_t> missing = or_throw(missing_simulations(instances, algorithms, campaign));
    if (missing.empty()) return true;
    if (submissions > 0 && (missing.size() == before || submissions == kSubmissions)) {
      const Instance& instance = instances[missing.front() / algorithms.size()];
      const std::string algorithm = algorithm_name(algorithms[missing.front() % algorithms.size()]);
      std::size_t task = 0;
      std::ifstream plan(fmt::format("{}/{}", array.folder, kPlanFile));
      for (std::string line; std::getline(plan, line);) {
        ++task;
        const std::vector<std::size_t> numbers = or_throw(parse_selection(line, total));
        if (std::binary_search(numbers.begin(), numbers.end(), missing.front())) break;
      }
      const std::string log = task_log(array, task);
      const std::string said = last_line(log);
      throw IncompleteError(fmt::format(
          "{} of {} simulations are missing after {} submissions, the first is that of {} under {}: {}; run the "
          "same command again to submit what is missing",
          missing.size(), total, submissions, instance.name, algorithm,
          said.empty() ? fmt::format("see {}, and `sacct` or `scontrol show job`", log)
                       : fmt::format("{} ends with '{:.300}'", log, said)));
    }
    before = missing.size();
    array = write_run(missing, campaign.threads);
    const std::string script = array.folder + "/script";
    if (!options_.submit) {
      next = fmt::format(
          "{} of {} simulations are missing; submit them with\n  sbatch {}\nand then run the same command, "
          "with --no-submit to only collect results\n",
          missing.size(), total, script);
      return false;
    }
    const std::string job = or_throw(submit_array(array, script));
    fmt::print(stderr, "job {}: {} of {} simulations, in {} tasks ({})\n", job, missing.size(), total, array.tasks,
               script);
    if (!options_.wait) {
      next = fmt::format("submitted; run the same command again to wait for job {} and collect results\n", job);
      return false;
    }
  }
}

}  // namespace dfrs::sim
