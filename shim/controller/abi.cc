// SPDX-License-Identifier: GPL-2.0-or-later
// The C entries of controller.h: nothing is thrown across them.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "shim/controller.h"
#include "shim/controller/abi.h"
#include "shim/controller/host.h"
#include "shim/quota/http_node_agents.h"

struct dfrs_controller {
  std::unique_ptr<dfrs::shim::Host> host;
};

namespace dfrs::shim {
namespace {

void copy_message(const std::string& message, char* out, std::size_t size) {
  if (out == nullptr || size == 0) return;
  const std::size_t length = std::min(message.size(), size - 1);
  std::memcpy(out, message.data(), length);
  out[length] = '\0';
}

std::string text(const char* value) { return value != nullptr ? value : ""; }

// Describes the exception being handled.
std::string failure() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return std::string("internal error: ") + e.what();
  } catch (...) {
    return "internal error";
  }
}

void log_failure(const Host& host, const char* where) noexcept {
  try {
    host.log().error("{}: {}", where, failure());
  } catch (...) {  // no memory for the message
  }
}

std::unique_ptr<NodeAgents> http_agents(const AgentsSetup& setup) {
  HttpNodeAgentsOptions options;
  options.epoch = setup.epoch;
  options.auth = setup.paths->auth;
  options.slurm_user = setup.paths->slurm_user_id;
  options.log = [log = setup.log](const std::string& line) { log->warn("{}", line); };
  return std::make_unique<HttpNodeAgents>(std::move(options));
}

}  // namespace

dfrs_controller* create_controller(const dfrs_controller_paths& paths, dfrs_log_fn log,
                                   const AgentsFactory& make_agents, char* err, std::size_t err_size) noexcept {
  try {
    HostPaths host_paths;
    host_paths.conf_file = text(paths.conf_file);
    host_paths.state_dir = text(paths.state_dir);
    host_paths.cluster_name = text(paths.cluster_name);
    if (const auto type = auth_type(paths.auth_type != nullptr ? paths.auth_type : "auth/munge")) {
      host_paths.auth = {*type, text(paths.auth_socket), host_paths.cluster_name};
    } else {
      copy_message(fmt::format("AuthType={} is not supported: dfrs needs auth/munge or auth/slurm", paths.auth_type),
                   err, err_size);
      return nullptr;
    }
    host_paths.slurm_user_id = paths.slurm_user_id;
    host_paths.goes_on = paths.goes_on;
    if (paths.wake != nullptr) host_paths.wake = paths.wake;
    Log sink = log != nullptr ? Log([log](int level, const char* message) { log(level, message); }) : Log();
    auto host = Host::create(host_paths, std::move(sink), make_agents);
    if (!host) {
      copy_message(host.error(), err, err_size);
      return nullptr;
    }
    return new dfrs_controller{std::move(*host)};
  } catch (...) {
    try {
      copy_message(failure(), err, err_size);
    } catch (...) {
      if (err != nullptr && err_size != 0) err[0] = '\0';
    }
    return nullptr;
  }
}

Host& host_of(dfrs_controller& controller) { return *controller.host; }

}  // namespace dfrs::shim

using dfrs::shim::log_failure;

namespace {
// Slurm unloads and loads the sched plugin, but not this library, when slurmctld gives control back or fails to
// reconfigure itself.
std::atomic<bool> controller_was_here{false};
}  // namespace

uint32_t dfrs_controller_abi(void) { return DFRS_CONTROLLER_ABI; }

struct dfrs_controller* dfrs_controller_create(const struct dfrs_controller_paths* paths, dfrs_log_fn log, char* err,
                                               size_t err_size) {
  dfrs_controller_paths used = *paths;
  used.goes_on = used.goes_on || controller_was_here;
  dfrs_controller* const controller = dfrs::shim::create_controller(used, log, dfrs::shim::http_agents, err, err_size);
  if (controller == nullptr) return nullptr;
  controller_was_here = true;
  try {
    controller->host->serve_control();
  } catch (...) {  // scheduling does not need the control port
    log_failure(*controller->host, "control port");
  }
  return controller;
}

void dfrs_controller_destroy(struct dfrs_controller* controller) {
  try {
    delete controller;
  } catch (...) {  // saving may run out of memory
  }
}

int dfrs_controller_reconfigure(struct dfrs_controller* controller, char* err, size_t err_size) {
  try {
    const auto done = controller->host->reconfigure();
    if (done) return 0;
    dfrs::shim::copy_message(done.error(), err, err_size);
  } catch (...) {
    if (err != nullptr && err_size != 0) err[0] = '\0';
    log_failure(*controller->host, "reconfigure");
  }
  return -1;
}

size_t dfrs_controller_partitions(const struct dfrs_controller* controller, const char* const** names) {
  const auto& partitions = controller->host->partitions();
  *names = partitions.data();
  return partitions.size();
}

bool dfrs_controller_stock_backfill(const struct dfrs_controller* controller) {
  return controller->host->config().stock_backfill;
}

bool dfrs_controller_save_before_launch(const struct dfrs_controller* controller, bool saves_take_long) {
  const dfrs::shim::SaveBeforeLaunch rule = controller->host->config().save_before_launch;
  return rule == dfrs::shim::SaveBeforeLaunch::automatic ? !saves_take_long : rule == dfrs::shim::SaveBeforeLaunch::yes;
}

uint32_t dfrs_controller_quota_wait(const struct dfrs_controller* controller) {
  return controller->host->config().quota_wait_ms;
}

uint32_t dfrs_controller_wants(const struct dfrs_controller* controller) {
  switch (controller->host->config().weight) {
    case dfrs::shim::WeightRule::qos:
      return DFRS_WANT_QOS;
    case dfrs::shim::WeightRule::fair_share:
      return DFRS_WANT_FAIR_SHARE;
    case dfrs::shim::WeightRule::none:
    case dfrs::shim::WeightRule::priority:
      break;
  }
  return 0;
}

int dfrs_controller_step(struct dfrs_controller* controller, const struct dfrs_snapshot* snapshot,
                         struct dfrs_operations* operations) {
  *operations = {};
  try {
    controller->host->retry_control(snapshot->now);
  } catch (...) {  // scheduling does not need the control port
    log_failure(*controller->host, "control port");
  }
  try {
    return controller->host->controller().step(*snapshot, *operations) ? 0 : -1;
  } catch (...) {
    log_failure(*controller->host, "step");
    *operations = {};
    return -1;
  }
}

bool dfrs_controller_deliver(struct dfrs_controller* controller, uint32_t wait_ms) {
  try {
    return controller->host->controller().deliver(wait_ms);
  } catch (...) {
    log_failure(*controller->host, "delivery of quotas");
    return false;
  }
}

bool dfrs_controller_applied(struct dfrs_controller* controller, const size_t* index, const struct dfrs_result* results,
                             size_t count, double now) {
  try {
    return controller->host->controller().applied({index, count}, {results, count}, now);
  } catch (...) {
    log_failure(*controller->host, "results");
    return false;
  }
}
