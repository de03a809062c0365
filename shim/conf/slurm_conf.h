// SPDX-License-Identifier: GPL-2.0-or-later
// What dfrsctl needs of slurm.conf to find the controller.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

struct SlurmConf {
  std::string cluster_name;         ///< ClusterName; empty: not given
  std::vector<std::string> hosts;   ///< addresses of SlurmctldHost (or ControlMachine and ControlAddr), first to last
  std::string slurm_user = "root";  ///< SlurmUser: a name or a number
  std::string munge_socket;         ///< socket= of AuthInfo; empty: MUNGE's default
};

/// Reads `path` and the files that it includes. Ignores all other settings, valid or not.
/// Error: one line that names the file, if it or an included one cannot be read.
tl::expected<SlurmConf, std::string> read_slurm_conf(const std::string& path);

/// The path that Slurm's programs use: the environment variable SLURM_CONF, else /etc/slurm/slurm.conf.
std::string default_slurm_conf();

}  // namespace dfrs::shim
