// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/synced_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/files.h"

namespace dfrs::shim {
namespace {

tl::unexpected<std::string> failure(const std::string& what, const std::string& path, int error = errno) {
  return tl::unexpected<std::string>(file_failure(what, path, error));
}

base::Fd open_file(const std::string& path, int flags) { return base::Fd(open(path.c_str(), flags | O_CLOEXEC, 0600)); }

// When this returns, all of the text is on the disk.
tl::expected<void, int> write_synced(const std::string& path, std::string_view text) {
  base::Fd file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) return tl::unexpected(errno);
  if (const auto done = base::write_all(file.get(), text); !done) return done;
  if (fsync(file.get()) != 0) return tl::unexpected(errno);
  return file.close();
}

}  // namespace

std::string file_failure(const std::string& what, const std::string& path, int error) {
  return fmt::format("cannot {} {}: {}", what, path, std::strerror(error));
}

tl::expected<void, std::string> replace_synced(const std::string& folder, const std::string& name,
                                               std::string_view text) {
  const std::string path = folder + "/" + name;
  const std::string beside = path + ".new";
  if (const auto done = write_synced(beside, text); !done) return failure("write", beside, done.error());
  if (std::rename(beside.c_str(), path.c_str()) != 0) return failure("rename it to", path);
  const base::Fd opened = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!opened || fsync(opened.get()) != 0) return failure("sync", folder);
  return {};
}

}  // namespace dfrs::shim
