// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials of the local munged. Each call is one exchange with it, some tenths of a millisecond (a munged that does
// not answer: up to a few seconds, libmunge's own limits). munged remembers what it has decoded.
#pragma once

#include <string>

#include "shim/auth/credentials.h"

namespace dfrs::shim {

class Munge final : public Credentials {
 public:
  /// Empty: MUNGE's default socket.
  explicit Munge(std::string socket = {}) : socket_(std::move(socket)) {}

  tl::expected<std::string, AuthError> encode(std::string_view payload) const override;
  tl::expected<Decoded, AuthError> decode(const std::string& credential) const override;

 private:
  std::string socket_;
};

}  // namespace dfrs::shim
