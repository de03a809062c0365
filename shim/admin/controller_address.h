// SPDX-License-Identifier: GPL-2.0-or-later
// Address and user of the controller, from slurm.conf, dfrs.conf and the command line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "shim/auth/credentials.h"
#include "shim/conf/auth_choice.h"

namespace dfrs::shim {

/// Options of the command line; empty or 0: not given.
struct AddressOptions {
  std::string host = {};
  std::uint16_t port = 0;
  AuthChoice auth = {};
  std::string conf = {};  ///< dfrs.conf
  std::string slurm_conf = {};
  std::string cluster = {};
  std::string slurm_user = {};
};

struct ControllerAddress {
  std::vector<std::string> hosts;  ///< in the order in which to try them
  std::uint16_t port = 0;
  AuthOptions auth;
  std::string cluster;
  uid_t slurm_user = 0;
  std::optional<std::string> warning = {};  ///< what is wrong in dfrs.conf, though the port was found; one line
};

struct AddressError {
  std::string message;  ///< may have several lines
  bool io = false;      ///< a file cannot be read; else its content is wrong
};

/// Takes from the files what the options leave open. If dfrs.conf is neither named nor beside slurm.conf (only
/// slurmctld's host needs it), the port is the default one. A dfrs.conf beside slurm.conf may have mistakes elsewhere,
/// as slurmctld then goes on with the last good one; one that is named may not.
tl::expected<ControllerAddress, AddressError> find_controller(const AddressOptions& options);

}  // namespace dfrs::shim
