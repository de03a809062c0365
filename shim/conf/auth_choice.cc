// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/auth_choice.h"

#include <fmt/format.h>

namespace dfrs::shim {

tl::expected<AuthOptions, std::string> choose_auth(const AuthChoice& choice, const SlurmConf& slurm) {
  std::string name = slurm.auth_type;
  if (!choice.type.empty())
    name = "auth/" + choice.type;
  else if (!choice.sack_socket.empty())
    name = "auth/slurm";
  else if (!choice.munge_socket.empty())
    name = "auth/munge";
  const auto type = auth_type(name);
  if (!type)
    return tl::unexpected(fmt::format("AuthType={} is not supported; expected auth/munge or auth/slurm", name));
  AuthOptions options;
  options.type = *type;
  options.cluster = slurm.cluster_name;
  if (*type == AuthType::slurm)
    options.socket = choice.sack_socket;
  else
    options.socket = choice.munge_socket.empty() ? slurm.munge_socket : choice.munge_socket;
  return options;
}

tl::expected<AuthOptions, std::string> choose_auth(const AuthChoice& choice) {
  return choose_auth(choice, read_slurm_conf(default_slurm_conf()).value_or(SlurmConf()));
}

}  // namespace dfrs::shim
