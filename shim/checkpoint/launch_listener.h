// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsd's socket for dfrs-run: starts a keeper for each connection. Keepers are programs of their own, so that they
// outlive dfrsd and a fault in one touches nothing else.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "base/files.h"

namespace dfrs::shim {

/// The descriptor that a keeper finds its connection at.
inline constexpr int kKeeperSocket = 3;

struct LaunchListenerOptions {
  std::string run_dir;
  std::vector<std::string> keeper;                ///< command
  std::size_t most = 4096;                        ///< keepers in all
  std::size_t most_of_user = 256;                 ///< keepers of one user
  std::function<void(const std::string&)> log{};  ///< on the listener's thread
};

class LaunchListener {
 public:
  /// Error: one line.
  static tl::expected<std::unique_ptr<LaunchListener>, std::string> start(LaunchListenerOptions options);
  ~LaunchListener();
  LaunchListener(const LaunchListener&) = delete;
  LaunchListener& operator=(const LaunchListener&) = delete;

 private:
  explicit LaunchListener(LaunchListenerOptions options) : options_(std::move(options)) {}
  void run();
  void serve(const base::Fd& connection);
  void reap();

  const LaunchListenerOptions options_;
  base::Fd socket_;
  base::Fd stop_;
  std::map<pid_t, uid_t> keepers_;  // by process: the user
  std::thread thread_;
};

}  // namespace dfrs::shim
