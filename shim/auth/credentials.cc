// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/credentials.h"

#include "shim/auth/munge.h"
#include "shim/auth/sack.h"

namespace dfrs::shim {

std::optional<AuthType> auth_type(std::string_view name) {
  if (name == "auth/munge") return AuthType::munge;
  if (name == "auth/slurm") return AuthType::slurm;
  return std::nullopt;
}

std::unique_ptr<const Credentials> open_credentials(const AuthOptions& options) {
  if (options.type == AuthType::slurm) return std::make_unique<Sack>(options.socket, options.cluster);
  return std::make_unique<Munge>(options.socket);
}

}  // namespace dfrs::shim
