// SPDX-License-Identifier: GPL-2.0-or-later
// Where the controller is and who it must be, from slurm.conf, dfrs.conf and the command line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "shim/auth/credentials.h"
#include "shim/conf/auth_choice.h"

namespace dfrs::shim {

/// What the command line says; empty or 0: not given.
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
  std::vector<std::string> hosts;  ///< to be tried in this order
  std::uint16_t port = 0;
  AuthOptions auth;
  std::string cluster;
  uid_t slurm_user = 0;
};

struct AddressError {
  std::string message;  ///< may have several lines
  bool io = false;      ///< a file cannot be read (else its content is wrong)
};

/// The files are read only as far as the options leave something open. A dfrs.conf that was not named and is not there
/// (it need not be, on other hosts than slurmctld's) means the default port.
tl::expected<ControllerAddress, AddressError> find_controller(const AddressOptions& options);

}  // namespace dfrs::shim
