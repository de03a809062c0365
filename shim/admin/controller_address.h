// SPDX-License-Identifier: GPL-2.0-or-later
// Address and user of the controller, from slurm.conf, dfrs.conf and the command line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

/// Options of the command line; empty or 0: not given.
struct AddressOptions {
  std::string host = {};
  std::uint16_t port = 0;
  std::string munge_socket = {};
  std::string conf = {};  ///< dfrs.conf
  std::string slurm_conf = {};
  std::string cluster = {};
  std::string slurm_user = {};
};

struct ControllerAddress {
  std::vector<std::string> hosts;  ///< in the order in which to try them
  std::uint16_t port = 0;
  std::string munge_socket;  ///< empty: MUNGE's default
  std::string cluster;
  uid_t slurm_user = 0;
};

struct AddressError {
  std::string message;  ///< may have several lines
  bool io = false;      ///< a file cannot be read; else its content is wrong
};

/// Takes from the files what the options leave open. If dfrs.conf is neither named nor beside slurm.conf (only
/// slurmctld's host needs it), the port is the default one.
tl::expected<ControllerAddress, AddressError> find_controller(const AddressOptions& options);

}  // namespace dfrs::shim
