// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace dfrs::shim {

/// What is wrong with a record: "FILE:LINE: what was found, what was expected". Not thrown inside slurmctld.
class RecordError : public std::runtime_error {
 public:
  explicit RecordError(const std::string& message, bool io = false) : std::runtime_error(message), io_(io) {}
  /// The file could not be read, rather than understood.
  bool io() const { return io_; }

 private:
  bool io_;
};

}  // namespace dfrs::shim
