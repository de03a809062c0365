// SPDX-License-Identifier: GPL-2.0-or-later
// The agent behind its HTTP routes.
//   POST /v1/desired   the whole desired state of the node; answers with a report. Root and SlurmUser only
//   GET  /v1/report    the report alone. Root and SlurmUser only
//   GET  /metrics      Prometheus text. Anyone
//   GET  /healthz      "ok". Anyone
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "shim/agent/agent.h"
#include "shim/http/server.h"

namespace dfrs::shim {

class AgentService {
 public:
  /// Sets http.receiver. The agent must outlive the service. Error: it cannot listen on the address.
  static tl::expected<std::unique_ptr<AgentService>, std::string> start(Agent& agent, const std::string& node,
                                                                        HttpServerOptions http);
  AgentService(const AgentService&) = delete;
  AgentService& operator=(const AgentService&) = delete;
  std::uint16_t port() const { return server_->port(); }
  HttpCounters counters() const { return server_->counters(); }

 private:
  explicit AgentService(Agent& agent) : agent_(agent) {}
  HttpAnswer desired(const HttpRequest& request);
  HttpAnswer metrics() const;

  Agent& agent_;
  std::atomic<const HttpServer*> running_ = nullptr;  // for handlers, which run on the server's thread
  std::unique_ptr<HttpServer> server_;
};

}  // namespace dfrs::shim
