// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace dfrs::base {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits. Any thread.
std::string sha256_hex(std::string_view bytes);

/// The same for the rest of a stream.
std::string sha256_hex(std::istream& in);

}  // namespace dfrs::base
