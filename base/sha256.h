// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dfrs::base {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits. Any thread.
std::string sha256_hex(std::string_view bytes);

}  // namespace dfrs::base
