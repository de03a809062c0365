// SPDX-License-Identifier: GPL-2.0-or-later
// The controller in slurmctld with everything that it needs, made from dfrs.conf and the state file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "record/recorder.h"
#include "shim/admin/control_server.h"
#include "shim/conf/config.h"
#include "shim/controller/controller.h"
#include "shim/controller/log.h"
#include "shim/controller/state_writer.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

struct HostPaths {
  std::string conf_file;
  std::string state_dir;
  std::string munge_socket;  ///< empty: MUNGE's default
  std::string cluster_name;
  std::uint32_t slurm_user_id = 0;
  std::function<void()> wake;  ///< requests a step of the plugin; may be empty
};

/// What an AgentsFactory gets.
struct AgentsSetup {
  std::uint64_t epoch = 0;  ///< higher than that of every earlier controller
  const HostPaths* paths = nullptr;
  const Log* log = nullptr;
};

using AgentsFactory = std::function<std::unique_ptr<NodeAgents>(const AgentsSetup&)>;

class Host {
 public:
  /// Without `make_agents` no quotas are delivered. Error: one line.
  static tl::expected<std::unique_ptr<Host>, std::string> create(const HostPaths& paths, Log log,
                                                                 const AgentsFactory& make_agents);
  /// Saves the state and stops all threads.
  ~Host();

  Controller& controller() { return *controller_; }
  const Config& config() const { return config_; }
  /// Names of managed partitions; valid until reconfigure().
  const std::vector<const char*>& partitions() const { return partitions_; }
  record::Recorder& recorder() { return recorder_; }
  StateWriter& state_writer() { return *state_writer_; }
  const Log& log() const { return log_; }
  /// Reads dfrs.conf again. Error: one line; nothing has changed then.
  tl::expected<void, std::string> reconfigure();
  /// Starts to answer dfrsctl on ControlPort. If it cannot listen there, it logs the reason, and the next reconfigure()
  /// tries again.
  void serve_control();

 private:
  Host(HostPaths paths, Log log);
  void use(Config config);
  void begin_record();

  HostPaths paths_;
  Log log_;
  Config config_;
  std::vector<const char*> partitions_;
  record::Recorder recorder_;
  std::unique_ptr<StateWriter> state_writer_;
  std::unique_ptr<NodeAgents> agents_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<ControlServer> control_;  // after what it shows
  std::uint16_t control_port_ = 0;          // that it listens on
  bool serves_control_ = false;
};

}  // namespace dfrs::shim
