// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace dfrs::base {

/// Up to 256 random bytes from the kernel, in hexadecimal: for secrets. Error: errno.
tl::expected<std::string, int> random_hex(std::size_t bytes);

}  // namespace dfrs::base
