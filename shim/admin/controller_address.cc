// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/controller_address.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "shim/auth/user_id.h"
#include "shim/conf/key_values.h"
#include "shim/conf/read_config.h"
#include "shim/conf/settings.h"
#include "shim/conf/slurm_conf.h"

namespace dfrs::shim {
namespace {

// ControlPort and ControlAddress of a file that has mistakes elsewhere; nothing if they are wrong themselves, or the
// file is no longer there.
std::optional<Config> control_settings(const std::string& path) {
  const auto found = read_key_values(path, kMaxConfigBytes);
  if (!found) return std::nullopt;
  Config config;
  GivenPauseRules unused;
  for (const KeyValue& pair : found->pairs) {
    const Setting* const setting = find_setting(pair.key);
    if (setting == nullptr || (setting->name != "ControlPort" && setting->name != "ControlAddress")) continue;
    if (!setting->read(pair.value, {config, unused})) return std::nullopt;
  }
  return config;
}

}  // namespace

tl::expected<ControllerAddress, AddressError> find_controller(const AddressOptions& options) {
  const auto fail = [](std::string message, bool io) {
    return tl::unexpected<AddressError>(AddressError{std::move(message), io});
  };
  const std::string slurm_conf = options.slurm_conf.empty() ? default_slurm_conf() : options.slurm_conf;
  SlurmConf slurm;
  const bool all_given = !options.host.empty() && !options.cluster.empty() && !options.slurm_user.empty();
  if (auto read = read_slurm_conf(slurm_conf)) {
    slurm = std::move(*read);
  } else if (!all_given || !options.slurm_conf.empty()) {
    return fail(read.error() + " (--slurm-conf names the file; with --host, --cluster and --slurm-user none is needed)",
                true);
  }

  ControllerAddress address;
  address.cluster = options.cluster.empty() ? slurm.cluster_name : options.cluster;
  if (address.cluster.empty()) return fail(fmt::format("{}: has no ClusterName; give --cluster", slurm_conf), false);
  if (options.host.empty()) {
    address.hosts = slurm.hosts;
  } else {
    address.hosts = {options.host};
  }
  auto auth = choose_auth(options.auth, slurm);
  if (!auth) return fail(fmt::format("{}: {} (--auth)", slurm_conf, auth.error()), false);
  address.auth = std::move(*auth);
  address.auth.cluster = address.cluster;
  if (address.hosts.empty()) return fail(fmt::format("{}: has no SlurmctldHost; give --host", slurm_conf), false);
  const std::string user = options.slurm_user.empty() ? slurm.slurm_user : options.slurm_user;
  const auto uid = user_id(user);
  if (!uid) return fail(fmt::format("SlurmUser '{}' is not a user of this host; give --slurm-user", user), false);
  address.slurm_user = *uid;

  address.port = options.port;
  if (address.port != 0) return address;
  address.port = Config().control_port;
  std::string conf = options.conf;
  if (conf.empty()) {
    conf = (std::filesystem::path(slurm_conf).parent_path() / "dfrs.conf").string();
    if (::access(conf.c_str(), R_OK) != 0) return address;
  }
  const auto whole = read_config(conf);
  std::optional<Config> config;
  if (whole) {
    config = *whole;
  } else if (options.conf.empty()) {
    config = control_settings(conf);
  }
  if (!config) {
    std::string text;
    for (const ConfigError& error : whole.error()) text += error.text() + "\n";
    return fail(text + "the control port is not known; give --port", whole.error().front().unreadable);
  }
  if (!whole) address.warning = whole.error().front().text();
  address.port = config->control_port;
  // One address of its own is where to look first; the backup controller may have another dfrs.conf.
  const std::string& own = config->control_address;
  if (options.host.empty() && own != "0.0.0.0" && own != "::") address.hosts.insert(address.hosts.begin(), own);
  return address;
}

}  // namespace dfrs::shim
