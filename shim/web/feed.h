// SPDX-License-Identifier: GPL-2.0-or-later
// What the page is told: the newest state of the cluster, and how it was over the last hours.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dfrs::shim::web {

using Json = nlohmann::ordered_json;

/// One look at the cluster, as the history keeps it.
struct Sample {
  double at = 0;  ///< s since the epoch
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;  ///< not started, or paused
  std::uint32_t paused = 0;
  double mean_yield = 0;            ///< of running jobs; 0: none runs
  std::vector<std::uint8_t> nodes;  ///< CPU in use by node, in percent of its CPUs; 255: not usable
};

/// The sample of answers of the control port: `status` of /v1/status, `nodes` of /v1/nodes.
Sample sample_of(const Json& status, const Json& nodes);

/// Numbers of a history that stays small: when it is full, every other sample goes, the newest stays.
class History {
 public:
  /// At most `most` samples (>= 2), and at most `most_values` numbers of nodes in all.
  explicit History(std::size_t most = 1500, std::size_t most_values = 600'000) : most_(most), values_(most_values) {}
  void add(Sample sample);
  const std::deque<Sample>& samples() const { return samples_; }

 private:
  std::size_t most_;
  std::size_t values_;
  std::deque<Sample> samples_;
};

/// Between the thread that asks the controller and those that serve browsers.
class Feed {
 public:
  /// A new look: all browsers get it.
  void publish(const Json& status, const Json& nodes);
  /// The controller did not answer: all browsers are told why.
  void publish_error(const std::string& message);
  /// Wakes all waiting browsers for good.
  void close();

  /// What a browser gets first: the history as one server-sent event, and the number of the newest message.
  std::string begin(std::uint64_t& seen) const;
  /// The newest message after number `seen`, as a server-sent event; a comment after `patience` without one; nothing if
  /// the feed is closed. Blocks.
  std::optional<std::string> next(std::uint64_t& seen, std::chrono::milliseconds patience);

 private:
  void put(const char* event, const Json& data);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  History history_;
  std::string message_;       // the newest event
  std::uint64_t number_ = 0;  // of it; 0: none yet
  bool closed_ = false;
};

}  // namespace dfrs::shim::web
