// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs {

/// Calls `read` with each parameter of a policy's name: of LAS/queues=2/first=300 with "queues=2" and "first=300".
/// Error: the first that `read` returns.
template <typename Read>
tl::expected<void, std::string> read_name_parts(std::string_view name, Read&& read) {
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos;) {
    const std::size_t next = name.find('/', slash + 1);
    const std::size_t length = next == std::string_view::npos ? next : next - slash - 1;
    if (auto done = read(name.substr(slash + 1, length)); !done) return done;
    slash = next;
  }
  return {};
}

}  // namespace dfrs
