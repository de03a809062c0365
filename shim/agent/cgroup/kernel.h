// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of the cgroup file systems that ordinary ones lack; tests replace them by a folder tree.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace dfrs::shim {

class CgroupKernel {
 public:
  virtual ~CgroupKernel() = default;
  /// statfs's f_type of an open folder; 0 if unknown.
  virtual long file_system(int fd) const = 0;
  /// Creates a group in a group. Error: an errno.
  virtual tl::expected<void, int> make(int at, const std::string& name) const = 0;
  /// Removes an empty group. Error: an errno; EBUSY if it has tasks or groups.
  virtual tl::expected<void, int> remove(int at, const std::string& name) const = 0;
};

/// The real one.
const CgroupKernel& cgroup_kernel();

}  // namespace dfrs::shim
