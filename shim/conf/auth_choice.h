// SPDX-License-Identifier: GPL-2.0-or-later
// Which credentials dfrsctl and dfrsd use: by their options, else by slurm.conf.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "shim/auth/credentials.h"
#include "shim/conf/slurm_conf.h"

namespace dfrs::shim {

/// What the command line says; empty: not given.
struct AuthChoice {
  std::string type = {};  ///< "munge" or "slurm"
  std::string munge_socket = {};
  std::string sack_socket = {};
};

/// A socket that is given also says the type. Error: one line, for an AuthType that is not supported.
tl::expected<AuthOptions, std::string> choose_auth(const AuthChoice& choice, const SlurmConf& slurm);

/// The same without the file being needed: what cannot be read says nothing.
tl::expected<AuthOptions, std::string> choose_auth(const AuthChoice& choice);

}  // namespace dfrs::shim
