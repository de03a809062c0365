// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/random.h"

#include <errno.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <vector>

namespace dfrs::base {

tl::expected<std::string, int> random_hex(std::size_t bytes) {
  std::vector<unsigned char> drawn(bytes);
  // Reads of up to 256 bytes are complete; only a signal before the kernel's generator is ready interrupts them.
  ssize_t got = -1;
  do got = getrandom(drawn.data(), drawn.size(), 0);
  while (got < 0 && errno == EINTR);
  if (got < 0) return tl::unexpected(errno);
  if (got != static_cast<ssize_t>(bytes)) return tl::unexpected(EIO);
  std::string hex;
  for (const unsigned char byte : drawn) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace dfrs::base
