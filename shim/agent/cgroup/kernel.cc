// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cgroup/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace dfrs::shim {
namespace {

class Kernel final : public CgroupKernel {
 public:
  long file_system(int fd) const override {
    struct statfs about{};
    return fstatfs(fd, &about) == 0 ? static_cast<long>(about.f_type) : 0;
  }
  tl::expected<void, int> make(int at, const std::string& name) const override {
    return outcome(mkdirat(at, name.c_str(), 0755));
  }
  tl::expected<void, int> remove(int at, const std::string& name) const override {
    return outcome(unlinkat(at, name.c_str(), AT_REMOVEDIR));
  }

 private:
  // Of a system call that has just returned.
  static tl::expected<void, int> outcome(int result) {
    if (result != 0) return tl::unexpected(errno);
    return {};
  }
};

}  // namespace

const CgroupKernel& cgroup_kernel() {
  static const Kernel kernel;
  return kernel;
}

}  // namespace dfrs::shim
