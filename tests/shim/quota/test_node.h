// SPDX-License-Identifier: GPL-2.0-or-later
// A node agent inside the test: real HTTP and credentials, and an agent that only stores states.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "shim/auth/authenticator.h"
#include "shim/http/server.h"
#include "shim/quota/protocol.h"
#include "tests/shim/support/munged.h"

namespace dfrs::shim {

class TestNode {
 public:
  explicit TestNode(std::string name, AuthOptions auth = Munged::shared().auth(), std::uint16_t port = 0)
      : name_(std::move(name)), auth_(std::move(auth)), port_(port) {
    start();
  }

  void start() {
    HttpServerOptions options;
    options.bind_address = "127.0.0.1";
    options.port = port_;
    options.receiver = node_receiver(name_);
    options.auth = auth_;
    options.administrator = getuid();
    auto server = HttpServer::start(options, {{"POST", kDesiredTarget, Access::administrator,
                                               [this](const HttpRequest& request) { return desired(request.body); }}});
    ASSERT_TRUE(server) << server.error();
    server_ = std::move(*server);
    port_ = server_->port();
  }
  void stop() { server_.reset(); }
  /// As after a restart without its run folder.
  void forget() {
    const std::lock_guard lock(mutex_);
    state_ = {};
  }
  void hold(const DesiredState& state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  void fail_with(const std::string& error) {
    const std::lock_guard lock(mutex_);
    error_ = error;
  }

  /// It answers nothing while the caller keeps this.
  std::unique_lock<std::mutex> busy() const { return std::unique_lock(mutex_); }

  AgentAddress address() const { return {name_, "127.0.0.1", port_}; }
  DesiredState state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  std::size_t requests() const {
    const std::lock_guard lock(mutex_);
    return orders_.size();
  }
  std::vector<StateOrder> orders() const {
    const std::lock_guard lock(mutex_);
    return orders_;
  }
  HttpCounters counters() const { return server_->counters(); }

 private:
  HttpAnswer desired(const std::string& body) {
    const auto state = parse_desired(body);
    if (!state || state->node != name_) {
      ADD_FAILURE() << "bad request: " << body;
      return http_error(400, "bad_request", "bad");
    }
    const std::lock_guard lock(mutex_);
    orders_.push_back(state->order);
    if (state->order <= state_.order) return {409, format_stale(state_.order, state->order)};
    state_ = *state;
    AgentReport report;
    report.node = name_;
    report.applied = state_.order;
    report.swap_total_mib = 1000;
    report.swap_free_mib = 900;
    report.measured_ago = 100;
    for (const JobQuota& job : state_.jobs) report.jobs.push_back({job.job_id, 1.5, 20, 3});
    if (!error_.empty()) report.errors.push_back({7, error_});
    return {200, format_report(report)};
  }

  const std::string name_;
  const AuthOptions auth_;
  std::uint16_t port_;
  mutable std::mutex mutex_;
  DesiredState state_;
  std::vector<StateOrder> orders_;
  std::string error_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace dfrs::shim
