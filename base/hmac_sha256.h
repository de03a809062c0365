// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dfrs::base {

/// HMAC-SHA256 of `text` as 32 bytes. Any thread.
std::string hmac_sha256(std::string_view key, std::string_view text);

/// The same as 64 lower-case hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

/// Whether the two are equal. How long this takes does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace dfrs::base
