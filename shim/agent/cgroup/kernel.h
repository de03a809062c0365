// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of the cgroup file systems that ordinary ones lack; tests replace them by a folder tree.
#pragma once

#include <string>

namespace dfrs::shim {

class CgroupKernel {
 public:
  virtual ~CgroupKernel() = default;
  /// statfs's f_type of an open folder; 0 if unknown.
  virtual long file_system(int fd) const = 0;
  /// New group in a group; 0 or errno.
  virtual int make(int at, const std::string& name) const = 0;
  /// Removes an empty group; 0 or errno (EBUSY: has tasks or groups).
  virtual int remove(int at, const std::string& name) const = 0;
};

/// The real one.
const CgroupKernel& cgroup_kernel();

}  // namespace dfrs::shim
