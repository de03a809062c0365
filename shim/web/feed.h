// SPDX-License-Identifier: GPL-2.0-or-later
// What the page is sent: the newest state of the cluster, and its schedule over the last hours.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "shim/admin/status.h"
#include "shim/web/live_schedule.h"

namespace dfrs::shim::web {

/// Between the thread that asks the controller and those that serve browsers.
class Feed {
 public:
  /// Before the first publish(): what the controller has observed.
  void go_on_from(const ObservedPast& past);
  /// The cluster as it is now: all browsers get it. Errors: those of LiveSchedule::update().
  void publish(const Json& status, const Json& nodes);
  /// The controller did not answer: all browsers get the reason.
  void publish_error(const std::string& message);
  /// Wakes all waiting browsers for good.
  void close();

  /// What a browser gets first: the newest message, and its number.
  std::string begin(std::uint64_t& seen) const;
  /// The newest message after number `seen`, as a server-sent event; a comment after `patience` without one; nothing if
  /// the feed is closed. Blocks.
  std::optional<std::string> next(std::uint64_t& seen, std::chrono::milliseconds patience);

  /// What happened since the first publish(), or since what the controller remembers begins.
  timeline::Schedule schedule() const;

 private:
  void put(const char* event, const Json& data);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  LiveSchedule schedule_;
  std::string message_;       // the newest event
  std::uint64_t number_ = 0;  // of it; 0: none yet
  bool closed_ = false;
};

}  // namespace dfrs::shim::web
