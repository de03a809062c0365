// SPDX-License-Identifier: GPL-2.0-or-later
// The controller through its C entries, as the sched plugin calls them: the input changes nodes, jobs, clock, agents,
// configuration and saved state as it likes, also as Slurm never would. Whatever it is shown, the controller asks only
// for operations that this snapshot allows, gives no memory twice, and keeps its own records in order. What Slurm could
// show, it always has an answer to, and the record of it replays.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "record/replay.h"
#include "shim/controller/abi.h"
#include "shim/usage.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/controller_cluster.h"
#include "tests/shim/fake_agents.h"

namespace dfrs::shim {
namespace {

using sim::require;
namespace fs = std::filesystem;

const std::array<std::string, 8> kConfigs = {
    "Algorithm=Triage\nPauseBy=suspend,requeue\nMinProgress=0\n",
    "Algorithm=Triage\nWeight=priority\nPauseBy=suspend,checkpoint\nCheckpointFolder=/images\nCheckpointTimeout=20\n",
    "Algorithm=GreedyPM*/per/OPT=MIN/MINVT=3\nPeriod=5\nPauseBy=suspend\nSuspendNeedsSwap=yes\nCommentInterval=1\n",
    "Algorithm=MCB8*/per/OPT=MIN\nPeriod=5\nPauseBy=requeue\nLostWork=accept\nWeight=fairshare\n",
    "Algorithm=EASY\nPauseBy=none\nChargeBy=yield\n",
    "Algorithm=/stretch-per/OPT=MAX\nPeriod=3\nPauseBy=suspend,requeue\nWeight=qos\nMaxLostRuns=1\n",
    "Algorithm=Triage\nPauseBy=requeue\nMinProgress=5\nQuotaMode=off\nChargeBy=yield\n",
    "Algorithm=none of these\nPeriod=-1\n"};

// True while the controller may not complain of what it is shown.
std::atomic<bool> must_work{true};

void log_line(int, const char* message) {
  const std::string_view text = message;
  const bool internal = text.find("internal error") != text.npos || text.find("out of memory") != text.npos;
  const bool gave_up = text.find("was not usable") != text.npos;
  if (internal || (gave_up && must_work)) std::fprintf(stderr, "fuzz: %s\n", message);
  require(!internal, "nothing is thrown in the controller");
  require(!gave_up || !must_work, "the policy has an answer to what Slurm can show");
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// One for the process, in memory where there is such a place: the state file is synced.
class Folder {
 public:
  Folder() : path_(access("/dev/shm", W_OK) == 0 ? "/dev/shm/dfrs-fuzz-XXXXXX" : "/tmp/dfrs-fuzz-XXXXXX") {
    require(mkdtemp(path_.data()) != nullptr, "there is a temporary folder");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string& folder() {
  static const Folder one;
  return one.path();
}

class Fuzz {
 public:
  explicit Fuzz(std::span<const std::uint8_t> bytes) : choices_(bytes) {
    for (const auto& entry : fs::directory_iterator(folder())) fs::remove(entry.path());
    must_work = true;
    records_ = choices_.one_in(4);
    cluster_.wild = choices_.one_in(2);
    configure(choices_.below(kConfigs.size() - 1));
    for (std::uint32_t k = 1 + choices_.below(6); k > 0; --k) cluster_.add_node(choices_);
    start();
  }
  ~Fuzz() { stop(); }
  Fuzz(const Fuzz&) = delete;
  Fuzz& operator=(const Fuzz&) = delete;

  void run() {
    constexpr int kMostRounds = 200;
    for (int k = 0; k < kMostRounds && choices_.left(); ++k) {
      act();
      cluster_.now += choices_.below(4) * 0.4;
      agents_.set_time(cluster_.now);
      round();
    }
    stop();
    if (records_) check_records();
  }

 private:
  void start() {
    const std::string conf = folder() + "/dfrs.conf";
    const bool goes_on = controllers_++ > 0;
    const dfrs_controller_paths paths{conf.c_str(), folder().c_str(), nullptr, nullptr, "fuzz",
                                      64030,        nullptr,          goes_on};
    char error[256] = "";
    controller_ = create_controller(
        paths, log_line, [this](const AgentsSetup&) { return std::make_unique<AgentsByReference>(agents_); }, error,
        sizeof error);
    if (controller_ == nullptr) std::fprintf(stderr, "fuzz: %s\n", error);
    require(controller_ != nullptr, "a controller starts, whatever was saved and as a last good configuration is kept");
  }

  void stop() {
    dfrs_controller_destroy(controller_);
    controller_ = nullptr;
  }

  void configure(std::size_t which) {
    write_file(folder() + "/dfrs.conf",
               "Partitions=dfrs\n" + kConfigs[which] + (records_ ? "RecordFile=" + folder() + "/run.jsonl\n" : ""));
  }

  void act() {
    switch (choices_.below(16)) {
      case 0:
      case 1:
      case 2:
        return cluster_.submit(choices_);
      case 3:
        return cluster_.change_job(choices_);
      case 4:
      case 5:
      case 6:
        return cluster_.move_job(choices_);
      case 7:
        return cluster_.change_node(choices_);
      case 8:
        return cluster_.change_nodes(choices_);
      case 9:
        return cluster_.pass_time(choices_);
      case 10:
        return change_agents();
      case 11:
        return restart();
      case 12:
        return reconfigure();
      case 13:
        return ask();
      default:
        return;
    }
  }

  void change_agents() {
    if (agents_.size() == 0) return;
    const std::size_t node = choices_.below(static_cast<std::uint32_t>(agents_.size()));
    FakeCheckpoints& checkpoints = agents_.node(node).checkpoints;
    switch (choices_.below(6)) {
      case 0:
        return agents_.set_reachable(node, choices_.one_in(2));
      case 1:
        return agents_.set_swap(1000 * choices_.below(4));
      case 2:
        checkpoints.fail_freeze = choices_.one_in(2);
        checkpoints.fail_dump = choices_.one_in(2);
        checkpoints.hang = choices_.one_in(4);
        return;
      case 3:
        return agents_.restart_agent(node);
      case 4:
        agents_.node(node).swapped[1 + choices_.below(8)] = choices_.byte();
        return;
      default:
        for (const auto& [id, job] : cluster_.jobs) agents_.use_cpu(node, id, choices_.byte() / 64.0);
    }
  }

  void restart() {
    host_of(*controller_).state_writer().flush();
    const std::string path = folder() + "/dfrs_state";
    const std::string killed = file_text(path);  // as kill -9 leaves it
    stop();
    switch (choices_.below(4)) {
      case 0:
        break;
      case 1:
        write_file(path, killed);
        break;
      case 2:
        write_file(path, damaged(file_text(path)));
        break;
      default:
        if (cluster_.wild) write_file(path, altered(file_text(path)));
    }
    start();
  }

  std::string damaged(std::string text) {
    if (text.empty()) return text;
    const std::size_t at = choices_.byte() * text.size() / 256;
    if (choices_.one_in(2)) return text.substr(0, at);
    text[at] = static_cast<char>(text[at] ^ (1 << choices_.below(8)));
    return text;
  }

  // Another number in it, and a checksum that is right.
  std::string altered(const std::string& text) {
    static const std::array<std::string, 10> kNumbers = {"0",    "-1",    "1",    "4294967295",           "4294967296",
                                                         "1e15", "1e400", "null", "18446744073709551615", "0.5"};
    const std::size_t line = text.find('\n');
    if (line == std::string::npos) return text;
    std::string body = text.substr(line + 1);
    for (std::uint32_t edits = 1 + choices_.below(3); edits > 0; --edits) {
      const std::size_t begin = body.find_first_of("0123456789", choices_.byte() * body.size() / 256);
      if (begin == std::string::npos) break;
      const std::size_t end = std::min(body.find_first_not_of("0123456789.", begin), body.size());
      body.replace(begin, end - begin, choices_.pick(kNumbers));
    }
    cluster_.sane = false;  // no controller has written that
    return fmt::format("dfrs_state {} {} {}\n{}", kStateVersion, base::sha256_hex(body), body.size(), body);
  }

  void reconfigure() {
    configure(choices_.below(kConfigs.size()));
    char error[256] = "";
    const int rc = dfrs_controller_reconfigure(controller_, error, sizeof error);
    require(rc == 0 || (error[0] != '\0' && std::string_view(error).find('\n') == std::string_view::npos),
            "a refusal is one line");
  }

  void ask() {
    const Controller& controller = host_of(*controller_).controller();
    const char* const* names = nullptr;
    require(dfrs_controller_partitions(controller_, &names) == 1 && std::string_view(names[0]) == "dfrs",
            "the managed partitions are known");
    dfrs_controller_wants(controller_);
    dfrs_controller_stock_backfill(controller_);
    dfrs_controller_save_before_launch(controller_, choices_.one_in(2));
    controller.explain(choices_.below(16));
    if (choices_.one_in(4)) controller.repack_dry_run();
    double share = 0;
    if (dfrs_usage_fraction(choices_.below(16), 0, cluster_.now - choices_.byte(), cluster_.now, &share)) {
      require(share >= 0 && share <= 1 + 1e-9, "a share of CPUs is one");
    }
  }

  void round() {
    const dfrs_snapshot& snapshot = cluster_.snapshot(choices_);
    must_work = cluster_.sane;
    dfrs_operations operations{};
    const int rc = dfrs_controller_step(controller_, &snapshot, &operations);
    require(rc == 0 || !cluster_.sane, "a step works with what Slurm can show");
    require(rc == 0 || operations.count == 0, "a step that fails asks for nothing");
    if (rc == 0) check(snapshot, operations);
    dfrs_controller_deliver(controller_, choices_.byte());
    check_agents();
    if (apply(operations)) dfrs_controller_deliver(controller_, 0);
    const auto sound = host_of(*controller_).controller().check();
    if (!sound) std::fprintf(stderr, "fuzz: %s\n", sound.error().c_str());
    require(sound.has_value(), "the records of jobs are consistent");
  }

  // Carries operations out, or not, and tells the controller.
  bool apply(const dfrs_operations& operations) {
    std::vector<dfrs_result> results;
    std::vector<std::size_t> index;
    for (std::size_t k = 0; k < operations.count; ++k) {
      const std::uint32_t kind = choices_.byte();
      if (kind >= 250) continue;  // not tried
      dfrs_result result{};
      if (kind < 200) {
        result.job_id = cluster_.apply(operations.list[k]);
      } else {
        result.code = static_cast<dfrs_result_code>(1 + kind % 4);
        std::fill(std::begin(result.reason), std::end(result.reason), kind == 249 ? 'x' : '\0');
      }
      if (cluster_.wild && kind >= 200 && choices_.one_in(16)) {  // it says what is not so
        cluster_.sane = false;
        result.code = DFRS_DONE;
        result.job_id = choices_.extreme<std::uint32_t>();
      }
      index.push_back(cluster_.wild && choices_.one_in(64) ? choices_.extreme<std::size_t>() : k);
      if (index.back() != k) cluster_.sane = false;
      results.push_back(result);
    }
    return dfrs_controller_applied(controller_, index.data(), results.data(), results.size(), cluster_.now);
  }

  static void check(const dfrs_snapshot& snapshot, const dfrs_operations& operations);
  static void check_operation(const dfrs_snapshot& snapshot, const dfrs_job& job, const dfrs_operation& operation);
  static void check_memory(const dfrs_snapshot& snapshot, const dfrs_operations& operations);

  void check_agents() {
    for (std::size_t n = 0; n < agents_.size(); ++n) {
      std::set<std::uint32_t> seen;
      for (const JobQuota& quota : agents_.node(n).desired) {
        require(seen.insert(quota.job_id).second, "a job has one quota on a node");
        require(std::isfinite(quota.cpus) && quota.cpus >= 0, "a quota is a number of CPUs");
      }
    }
  }

  void check_records() const {
    for (const auto& entry : fs::directory_iterator(folder())) {
      if (entry.path().filename().string().rfind("run", 0) != 0) continue;
      const std::string text = file_text(entry.path().string());
      record::RecordReader reader(record::lines_of(text), "fuzz");
      const auto replayed = record::replay(reader);
      if (!replayed && cluster_.sane) std::fprintf(stderr, "fuzz: %s\n", replayed.error().message.c_str());
      require(replayed.has_value() || !cluster_.sane, "a record of what Slurm can show is read");
      require(!replayed || !replayed->difference || !cluster_.sane, "a record replays exactly");
    }
  }

  Choices choices_;
  FuzzCluster cluster_;
  FakeAgents agents_;
  dfrs_controller* controller_ = nullptr;
  int controllers_ = 0;
  bool records_ = false;
};

bool same_key(const dfrs_job_key& a, const dfrs_job_key& b) {
  return a.job_id == b.job_id && a.restarts == b.restarts && a.submit == b.submit;
}

void Fuzz::check(const dfrs_snapshot& snapshot, const dfrs_operations& operations) {
  if (std::isfinite(snapshot.now)) require(operations.wake_at >= snapshot.now, "the next step is not in the past");
  std::set<std::uint32_t> numbers, acted_on;
  for (std::size_t k = 0; k < snapshot.job_count; ++k) numbers.insert(snapshot.jobs[k].key.job_id);
  const bool distinct = numbers.size() == snapshot.job_count;
  for (std::size_t k = 0; k < operations.count; ++k) {
    const dfrs_operation& operation = operations.list[k];
    const dfrs_job* const end = snapshot.jobs + snapshot.job_count;
    const dfrs_job* const job =
        std::find_if(snapshot.jobs, end, [&](const dfrs_job& each) { return same_key(each.key, operation.key); });
    require(job != end, "an operation is for a job of the snapshot, in its present run");
    if (!distinct) continue;
    check_operation(snapshot, *job, operation);
    if (operation.kind == DFRS_OP_COMMENT || operation.kind == DFRS_OP_END_TIME) continue;
    require(acted_on.insert(operation.key.job_id).second, "a job is told one thing at a time");
  }
  if (distinct) check_memory(snapshot, operations);
}

void Fuzz::check_operation(const dfrs_snapshot& snapshot, const dfrs_job& job, const dfrs_operation& operation) {
  const bool holds_nodes = job.phase == DFRS_JOB_RUNNING || job.phase == DFRS_JOB_SUSPENDED;
  switch (operation.kind) {
    case DFRS_OP_SUSPEND:
      return require(job.phase == DFRS_JOB_RUNNING, "what is suspended runs");
    case DFRS_OP_RESUME:
      return require(job.phase == DFRS_JOB_SUSPENDED && (job.flags & DFRS_JOB_USER_SUSPENDED) == 0,
                     "what is resumed was suspended by us");
    case DFRS_OP_REQUEUE:
    case DFRS_OP_END_TIME:
      return require(holds_nodes, "what is requeued, or gets an end, has nodes");
    case DFRS_OP_COMMENT:
      return;
    case DFRS_OP_START:
      break;
  }
  require(job.phase == DFRS_JOB_PENDING, "what is started waits");
  std::uint64_t tasks = 0;
  for (std::uint32_t k = 0; k < operation.node_count; ++k) {
    const std::uint32_t n = operation.nodes[k];
    require(n < snapshot.node_count && (k == 0 || operation.nodes[k - 1] <= n), "nodes exist and are in order");
    require(snapshot.nodes[n].usable, "nodes of a start are usable");
    require(job.eligible == nullptr || ((job.eligible[n / 64] >> (n % 64)) & 1) != 0, "a job starts where it may");
    tasks += operation.node_tasks[k];
  }
  if ((job.flags & DFRS_JOB_STOCK_PLACED) != 0) return require(operation.node_count > 0, "a start has nodes");
  require(tasks == std::max(job.tasks, 1U), "a start has as many tasks as the job");
}

void Fuzz::check_memory(const dfrs_snapshot& snapshot, const dfrs_operations& operations) {
  std::vector<double> used(snapshot.node_count, 0);
  const auto add = [&](const dfrs_job& job, std::uint32_t count, const std::uint32_t* nodes, const std::uint16_t* tasks,
                       double sign) {
    for (std::uint32_t k = 0; k < count; ++k) {
      if (nodes[k] >= snapshot.node_count) continue;
      used[nodes[k]] += sign * tasks[k] * static_cast<double>(job.memory_per_task);
    }
  };
  const auto must_fit = [&](const dfrs_job& job, std::uint32_t count, const std::uint32_t* nodes) {
    for (std::uint32_t k = 0; k < count; ++k) {
      if (nodes[k] >= snapshot.node_count) continue;
      const dfrs_node& node = snapshot.nodes[nodes[k]];
      const double free = static_cast<double>(node.memory) - static_cast<double>(node.foreign_memory);
      require(job.memory_per_task == 0 || used[nodes[k]] <= free, "memory is not given twice");
    }
  };
  for (std::size_t k = 0; k < snapshot.job_count; ++k) {
    const dfrs_job& job = snapshot.jobs[k];
    if (job.phase == DFRS_JOB_RUNNING) add(job, job.node_count, job.nodes, job.node_tasks, 1);
  }
  for (std::size_t k = 0; k < operations.count; ++k) {
    const dfrs_operation& operation = operations.list[k];
    const dfrs_job& job = *std::find_if(snapshot.jobs, snapshot.jobs + snapshot.job_count,
                                        [&](const dfrs_job& each) { return same_key(each.key, operation.key); });
    if (operation.kind == DFRS_OP_SUSPEND) add(job, job.node_count, job.nodes, job.node_tasks, -1);
    if (operation.kind == DFRS_OP_RESUME) {
      add(job, job.node_count, job.nodes, job.node_tasks, 1);
      must_fit(job, job.node_count, job.nodes);
    }
    if (operation.kind == DFRS_OP_START && (job.flags & DFRS_JOB_STOCK_PLACED) == 0) {
      add(job, operation.node_count, operation.nodes, operation.node_tasks, 1);
      must_fit(job, operation.node_count, operation.nodes);
    }
  }
}

}  // namespace
}  // namespace dfrs::shim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::shim::Fuzz({data, size}).run();
  return 0;
}
