// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials: who made a payload, proven by a service of this host - munged, or Slurm's own (auth/slurm).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/auth/refusal.h"

namespace dfrs::shim {

/// Slurm's AuthType.
enum class AuthType : std::uint8_t { munge, slurm };

/// By Slurm's name for it: "auth/munge", "auth/slurm". Nothing for another one.
std::optional<AuthType> auth_type(std::string_view name);

struct AuthOptions {
  AuthType type = AuthType::munge;
  std::string socket;   ///< of munged, or of Slurm's credentials; empty: where Slurm's commands look for it
  std::string cluster;  ///< auth/slurm: ClusterName; a socket of this cluster alone is tried first
};

/// All calls may come from any thread, and block for an exchange with the service.
class Credentials {
 public:
  virtual ~Credentials() = default;

  struct Decoded {
    std::string payload;
    uid_t uid = 0;
    bool secret = false;  ///< it was encrypted, made since our start, and only this process's user can have read it
  };

  /// A credential of this process's user around the payload (any bytes). Error: unavailable, malformed.
  virtual tl::expected<std::string, AuthError> encode(std::string_view payload) const = 0;
  /// The same, and where the service can do so, only `reader` can read it.
  virtual tl::expected<std::string, AuthError> encode_for(uid_t /*reader*/, std::string_view payload) const {
    return encode(payload);
  }
  /// Whose payload it is. A credential that was decoded before is an error (replayed).
  virtual tl::expected<Decoded, AuthError> decode(const std::string& credential) const = 0;
};

std::unique_ptr<const Credentials> open_credentials(const AuthOptions& options);

}  // namespace dfrs::shim
