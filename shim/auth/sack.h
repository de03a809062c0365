// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials of auth/slurm (Slurm 23.11 and later): JSON Web Tokens that slurmd, sackd or slurmctld make and verify
// for processes of their host, over the socket that Slurm's own commands use (SACK: Slurm's auth and credential kiosk).
// The service takes the user from the socket, as munged does, and holds the key: we need neither key nor library of
// Slurm's.
//
// Slurm does not remember tokens: replays are found here, by a memory of this object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shim/auth/credentials.h"
#include "shim/auth/seen_tokens.h"

namespace dfrs::shim {

class Sack final : public Credentials {
 public:
  /// Empty: the sockets that Slurm's commands try.
  explicit Sack(const std::string& socket = {}, const std::string& cluster = {});

  tl::expected<std::string, AuthError> encode(std::string_view payload) const override;
  tl::expected<Decoded, AuthError> decode(const std::string& credential) const override;

 private:
  std::vector<std::string> sockets_;  // to be tried in this order
  mutable SeenTokens seen_;
};

}  // namespace dfrs::shim
