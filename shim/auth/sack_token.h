// SPDX-License-Identifier: GPL-2.0-or-later
// What a token of auth/slurm says. Nothing here is proven: Slurm verifies the signature.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dfrs::shim {

struct SackClaims {
  uid_t uid = 0;
  std::int64_t issued = 0;   ///< iat, s since the epoch
  std::int64_t expires = 0;  ///< exp
  std::string payload;       ///< decoded
  std::string_view covered;  ///< what the signature covers, of the token: the same for all spellings of a signature
};

/// Nothing if it is not a token of HS256 with all of these. `covered` points into the token.
std::optional<SackClaims> read_sack_token(std::string_view token);

}  // namespace dfrs::shim
