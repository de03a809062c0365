// SPDX-License-Identifier: GPL-2.0-or-later
// The controller in slurmctld with everything that it needs, made from dfrs.conf and the state file.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "record/recorder.h"
#include "shim/admin/control_server.h"
#include "shim/conf/config.h"
#include "shim/controller/controller.h"
#include "shim/controller/last_good_config.h"
#include "shim/controller/log.h"
#include "shim/controller/state_writer.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

struct HostPaths {
  std::string conf_file;
  std::string state_dir;
  AuthOptions auth;
  std::string cluster_name;
  std::uint32_t slurm_user_id = 0;
  std::function<void()> wake;  ///< requests a step of the plugin; may be empty
  /// slurmctld goes on with jobs under way, after a reconfiguration or a takeover: if dfrs.conf is wrong, the last good
  /// one stays in force.
  bool goes_on = false;
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
  /// Reads dfrs.conf again. Error: one line, which says what stays in force; nothing has changed then.
  tl::expected<void, std::string> reconfigure();
  /// Starts to answer dfrsctl on ControlPort. If it cannot listen there, it logs the reason, and retry_control() and
  /// the next reconfigure() try again.
  void serve_control();
  /// Another attempt, at most one a second: the controller that gives control back may still hold the port. Call it
  /// often, with the time of the step.
  void retry_control(Seconds now);

 private:
  Host(HostPaths paths, Log log);
  /// A configuration to work with, and what its file says.
  struct Found {
    Config config;
    std::string text;                          // of dfrs.conf, if it is in force
    std::time_t accepted = 0;                  // else when the last good one was
    tl::expected<void, std::string> in_force;  // error: why dfrs.conf is not, one line
  };
  tl::expected<Found, std::string> find_config() const;
  void use(Config config);
  void accept(std::string_view text);
  std::string stays_in_force(const std::string& error) const;
  void begin_record();
  tl::expected<void, std::string> start_control();

  HostPaths paths_;
  Log log_;
  LastGoodConfig last_good_;
  Config config_;
  std::time_t accepted_ = 0;  // when dfrs.conf said so
  std::vector<const char*> partitions_;
  record::Recorder recorder_;
  std::unique_ptr<StateWriter> state_writer_;
  std::unique_ptr<NodeAgents> agents_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<ControlServer> control_;  // after what it shows
  Config control_config_;                   // that it was made from
  bool serves_control_ = false;
  Seconds control_tried_ = 0;
};

}  // namespace dfrs::shim
