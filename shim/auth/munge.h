// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials of the local munged, which remembers what it has decoded. Each call blocks for one exchange with munged;
// if munged does not answer, libmunge gives up after a few seconds.
#pragma once

#include <ctime>
#include <string>

#include "shim/auth/credentials.h"

namespace dfrs::shim {

class Munge final : public Credentials {
 public:
  /// `socket` empty: MUNGE's default.
  explicit Munge(std::string socket = {}) : socket_(std::move(socket)) {}

  tl::expected<std::string, AuthError> encode(std::string_view payload) const override;
  tl::expected<std::string, AuthError> encode_for(uid_t reader, std::string_view payload) const override;
  tl::expected<Decoded, AuthError> decode(const std::string& credential) const override;

 private:
  tl::expected<std::string, AuthError> encode(std::string_view payload, uid_t reader) const;

  std::string socket_;
  std::time_t begun_ = std::time(nullptr);
};

}  // namespace dfrs::shim
