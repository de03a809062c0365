// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/host.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "shim/conf/read_config.h"
#include "shim/controller/state_file.h"
#include "shim/controller/usage.h"

namespace dfrs::shim {
namespace {

std::string one_line(const ConfigErrors& errors) {
  std::string text = errors.front().text();
  if (errors.size() > 1) text += fmt::format(" (and {} more)", errors.size() - 1);
  return text;
}

struct ConfigFile {
  Config config;
  std::string text;
};

tl::expected<ConfigFile, std::string> read(const std::string& path) {
  auto text = read_config_text(path);
  if (!text) return tl::unexpected<std::string>(one_line(text.error()));
  auto config = parse_config(*text, path);
  if (!config) return tl::unexpected<std::string>(one_line(config.error()));
  return ConfigFile{std::move(*config), std::move(*text)};
}

// An epoch must never repeat, even if the clock was set back or the state file was lost.
std::uint64_t next_epoch(std::uint64_t last) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  return std::max<std::uint64_t>(last + 1, static_cast<std::uint64_t>(now.count()));
}

// Whether a control port made from one serves the other.
bool same_control(const Config& a, const Config& b) {
  return a.control_address == b.control_address && a.control_port == b.control_port &&
         a.control_requests == b.control_requests && a.control_repacks == b.control_repacks &&
         a.control_metrics == b.control_metrics;
}

}  // namespace

Host::Host(HostPaths paths, Log log)
    : paths_(std::move(paths)),
      log_(std::move(log)),
      last_good_(paths_.state_dir),
      recorder_([this](int level, const std::string& line) { log_.write(level, line); }) {}

Host::~Host() {
  if (controller_) controller_->save();
}

void Host::use(Config config) {
  config_ = std::move(config);
  partitions_.clear();
  for (const PartitionConfig& partition : config_.partitions) partitions_.push_back(partition.name.c_str());
}

tl::expected<Host::Found, std::string> Host::find_config() const {
  auto file = read(paths_.conf_file);
  if (file) return Found{std::move(file->config), std::move(file->text), 0, {}};
  if (!paths_.goes_on) return tl::unexpected<std::string>(file.error());
  auto kept = last_good_.load();
  if (!kept) {
    return tl::unexpected<std::string>(
        fmt::format("{}; there is no last good configuration to continue with: {}", file.error(), kept.error()));
  }
  return Found{std::move(kept->config), {}, kept->accepted, tl::unexpected(file.error())};
}

// Now dfrs.conf, with this text, is in force.
void Host::accept(std::string_view text) {
  accepted_ = std::time(nullptr);
  controller_->set_config_in_force({});
  if (const auto kept = last_good_.keep(text); !kept) {
    log_.error("cannot save dfrs.conf as the last good configuration: {}", kept.error());
  }
}

std::string Host::stays_in_force(const std::string& error) const {
  return fmt::format("{}; the last good configuration, of {}, stays in force", error, time_text(accepted_));
}

tl::expected<std::unique_ptr<Host>, std::string> Host::create(const HostPaths& paths, Log log,
                                                              const AgentsFactory& make_agents) {
  const auto fail = [](std::string why) { return tl::unexpected<std::string>(std::move(why)); };
  std::unique_ptr<Host> host(new Host(paths, std::move(log)));
  auto found = host->find_config();
  if (!found) return fail(found.error());
  host->use(std::move(found->config));

  const StateFile file(paths.state_dir);
  auto saved = file.load(host->log_);
  if (!saved) return fail(saved.error());
  if (host->config_.charge_by_yield) restore_usage(*saved, usage_ledger());
  saved->epoch = next_epoch(saved->epoch);
  // The epoch must be on disk before the first request carries it.
  if (const auto stored = file.store(*saved); !stored) return fail(stored.error());
  host->state_writer_ = std::make_unique<StateWriter>(file, host->log_);

  if (make_agents) host->agents_ = make_agents({saved->epoch, &host->paths_, &host->log_});
  host->begin_record();
  Controller::Parts parts;
  parts.cluster = paths.cluster_name;
  parts.agents = host->agents_.get();
  parts.recorder = &host->recorder_;
  parts.state_writer = host->state_writer_.get();
  parts.usage = &usage_ledger();
  parts.log = host->log_;
  auto controller = Controller::create(host->config_, std::move(*saved), std::move(parts));
  if (!controller) return fail(fmt::format("{}: {}", paths.conf_file, controller.error()));
  host->controller_ = std::move(*controller);
  if (found->in_force) {
    host->accept(found->text);
    return host;
  }
  host->accepted_ = found->accepted;
  const std::string words = host->stays_in_force(found->in_force.error());
  host->controller_->set_config_in_force(tl::unexpected(words));
  host->log_.error("{}: correct dfrs.conf and run `scontrol reconfigure`; slurmctld will not start with this file",
                   words);
  return host;
}

void Host::begin_record() {
  if (!config_.record_file) return;
  const auto on = recorder_.on(record::unused_record_path(*config_.record_file));
  if (!on) log_.error("not recording: {}", on.error());
}

void Host::serve_control() {
  serves_control_ = true;
  if (control_ && same_control(control_config_, config_)) return;
  control_.reset();
  if (const auto started = start_control(); !started) {
    log_.error("cannot open the control port for dfrsctl: {}; trying again every second", started.error());
  }
}

void Host::retry_control(Seconds now) {
  if (!serves_control_ || control_ || std::abs(now - control_tried_) < 1) return;
  control_tried_ = now;
  if (start_control()) log_.warn("the control port for dfrsctl is open now");
}

tl::expected<void, std::string> Host::start_control() {
  ControlServerOptions options;
  options.bind_address = config_.control_address;
  options.port = config_.control_port;
  options.cluster = paths_.cluster_name;
  options.auth = paths_.auth;
  options.slurm_user = paths_.slurm_user_id;
  options.requests_per_minute = config_.control_requests;
  options.repacks_per_minute = config_.control_repacks;
  options.metrics = config_.control_metrics;
  options.log = [this](const std::string& line) { log_.warn("control port: {}", line); };
  options.wake = paths_.wake;
  auto server = ControlServer::start(std::move(options), *controller_, recorder_);
  if (!server) return tl::unexpected<std::string>(server.error());
  control_ = std::move(*server);
  control_config_ = config_;
  return {};
}

tl::expected<void, std::string> Host::reconfigure() {
  auto file = read(paths_.conf_file);
  auto done = file ? controller_->reconfigure(file->config) : tl::unexpected(file.error());
  if (!done) {
    const std::string words = stays_in_force(done.error());
    controller_->set_config_in_force(tl::unexpected(words));
    return tl::unexpected(words);
  }
  const auto recorded = config_.record_file;
  use(std::move(file->config));
  accept(file->text);
  if (serves_control_) serve_control();
  // A record that dfrsctl has begun continues, unless RecordFile names a new one.
  if (config_.record_file != recorded) begin_record();
  return {};
}

}  // namespace dfrs::shim
