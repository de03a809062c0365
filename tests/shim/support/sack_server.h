// SPDX-License-Identifier: GPL-2.0-or-later
// What slurmd, sackd and slurmctld do at their socket of credentials (auth/slurm), with a key of the test's own.
// Written from Slurm's src/plugins/auth/slurm and src/common/sack_api.c, independently of shim/auth/sack.cc.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "shim/auth/credentials.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {

class SackServer {
 public:
  explicit SackServer(std::string key = "a key of at least sixteen bytes");
  ~SackServer();
  SackServer(const SackServer&) = delete;
  SackServer& operator=(const SackServer&) = delete;

  void stop();
  std::string socket() const { return folder_ / "sack.socket"; }
  AuthOptions auth() const { return {AuthType::slurm, socket(), {}}; }

  /// A token with these claims, signed with the key.
  std::string sign(const nlohmann::json& claims, const std::string& algorithm = "HS256") const;
  /// The claims that it gives to a process of this user.
  nlohmann::json claims(uid_t uid, const std::string& payload) const;

  std::atomic<std::int64_t> clock = 0;      ///< s that its clock is ahead
  std::atomic<bool> hangs_up = false;       ///< closes instead of saying no, as 25.11 and later do
  std::atomic<bool> silent = false;         ///< does not answer at all
  std::atomic<std::uint64_t> verified = 0;  ///< tokens that it said yes to

 private:
  void serve();
  void answer(int fd);
  bool holds(const std::string& token) const;

  std::string key_;
  Folder folder_;
  int listener_ = -1;
  std::thread thread_;
};

}  // namespace dfrs::shim
