// SPDX-License-Identifier: GPL-2.0-or-later
// A munged of a test's own, with its own key and socket in a temporary folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tests/shim/support/folder.h"

namespace dfrs::shim {

class Munged {
 public:
  /// key: any text; two with the same key accept each other's credentials.
  explicit Munged(const std::string& key = "one key");
  ~Munged();
  Munged(const Munged&) = delete;
  Munged& operator=(const Munged&) = delete;

  void stop();
  /// Starts again after stop(); it has then forgotten the credentials that it has seen.
  void start();
  std::string socket() const { return folder_ / "munge.socket"; }

  /// Shared by tests without special needs.
  static Munged& shared();

 private:
  Folder folder_;
  pid_t pid_ = -1;
};

}  // namespace dfrs::shim
