// SPDX-License-Identifier: GPL-2.0-or-later
// Replaces PATH for the lifetime of an object.
#pragma once

#include <cstdlib>
#include <string>

namespace dfrs::sim {

class PathSetting {
 public:
  explicit PathSetting(const std::string& path) {
    const char* now = std::getenv("PATH");
    had_ = now != nullptr;
    if (had_) before_ = now;
    ::setenv("PATH", path.c_str(), 1);
  }
  ~PathSetting() {
    if (had_) {
      ::setenv("PATH", before_.c_str(), 1);
    } else {
      ::unsetenv("PATH");
    }
  }
  PathSetting(const PathSetting&) = delete;
  PathSetting& operator=(const PathSetting&) = delete;

 private:
  bool had_ = false;
  std::string before_;
};

}  // namespace dfrs::sim
