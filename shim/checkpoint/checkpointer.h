// SPDX-License-Identifier: GPL-2.0-or-later
// Carries out dfrsd's part in checkpoints: tells the keepers of a job's programs what to do, and reports how far they
// are. It has a thread of its own, and waits for no keeper.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "base/files.h"
#include "shim/checkpoint/image_store.h"
#include "shim/checkpoint/keeper_link.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

struct CheckpointerOptions {
  std::string run_dir;
  std::string folder;                             ///< of images
  tl::expected<void, std::string> possible = {};  ///< error: why there are no checkpoints on this node
  /// Whether the job has processes here; any thread.
  std::function<bool(std::uint32_t job)> has_processes;
  std::function<void(const std::string&)> log{};  ///< any thread
  /// For removing images of jobs that Slurm does not know any more; may be null, else it must outlive this.
  const ImageStore* store = nullptr;
  std::string scratch{};  ///< this node's, where what keepers have left is removed; empty: none
};

class Checkpointer {
 public:
  explicit Checkpointer(CheckpointerOptions options);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// What the controller wants. Returns at once. Any thread.
  void set_desired(const std::vector<JobQuota>& jobs);
  /// Nothing: there is nothing to say about this job. Any thread.
  std::optional<CheckpointReport> report(std::uint32_t job) const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Link {
    base::Fd socket;
    std::uint32_t job = 0;
    bool waiting = false;  ///< for its answer
    KeeperDo asked = KeeperDo::status;
    std::optional<KeeperStatus> status;   ///< its last answer
    std::optional<KeeperStatus> checked;  ///< its last answer to a check
    Clock::time_point check_at{};
    bool closed = false;
  };
  struct Watch {
    Clock::time_point seen{};                      ///< since when the job is here
    std::optional<Clock::time_point> unordered{};  ///< since when it is dumped and nobody wants that
    std::optional<Clock::time_point> without{};    ///< since when an attempt has found no dfrs-run in it
    std::uint64_t failed = 0;                      ///< attempt
    std::string reason;
  };

  void run();
  bool round();
  void find_links();
  void ask(Link& link, const KeeperOrder& order);
  static void hear(Link& link);
  std::vector<Link*> links_of(std::uint32_t job);
  std::optional<CheckpointReport> follow(const JobQuota& job, const CheckpointOrder& order);
  std::optional<CheckpointReport> watch(const JobQuota& job);
  CheckpointReport fail(const JobQuota& job, const CheckpointOrder& order, const std::string& reason);
  void release_unordered(const std::vector<JobQuota>& jobs);
  void remove_old_images();
  void mark_restoring(const std::vector<JobQuota>& jobs);

  const CheckpointerOptions options_;
  std::map<std::string, Link> links_;  // by path; the thread's, as all until mutex_
  std::map<std::uint32_t, Watch> watches_;
  Clock::time_point clean_at_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<JobQuota> desired_;
  std::map<std::uint32_t, CheckpointReport> reports_;
  std::set<std::uint32_t> restoring_;  // jobs with such a file
  bool news_ = false;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace dfrs::shim
