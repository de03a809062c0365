// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/service.h"

#include "shim/agent/metrics.h"
#include "shim/auth/authenticator.h"

namespace dfrs::shim {

tl::expected<std::unique_ptr<AgentService>, std::string> AgentService::start(Agent& agent, const std::string& node,
                                                                             HttpServerOptions http) {
  std::unique_ptr<AgentService> service(new AgentService(agent));
  AgentService* const self = service.get();
  http.receiver = node_receiver(node);
  auto server = HttpServer::start(
      std::move(http),
      {{"POST", kDesiredTarget, Access::administrator, [self](const HttpRequest& r) { return self->desired(r); }},
       {"GET", kReportTarget, Access::administrator,
        [self](const HttpRequest&) { return HttpAnswer{200, format_report(self->agent_.report())}; }},
       {"GET", "/metrics", Access::anyone, [self](const HttpRequest&) { return self->metrics(); }},
       {"GET", "/healthz", Access::anyone, [](const HttpRequest&) { return HttpAnswer{200, "ok\n", "text/plain"}; }}});
  if (!server) return tl::unexpected(server.error());
  service->server_ = std::move(*server);
  service->running_ = service->server_.get();
  return service;
}

HttpAnswer AgentService::desired(const HttpRequest& request) {
  const auto state = parse_desired(request.body);
  if (!state) {
    agent_.count_malformed();
    return http_error(400, "bad_request", state.error());
  }
  const auto report = agent_.apply(*state);
  if (report) return {200, format_report(*report)};
  if (const auto* const stale = std::get_if<Agent::Stale>(&report.error()))
    return {409, format_stale(stale->have, state->order)};
  return http_error(400, "bad_request", std::get<Agent::Malformed>(report.error()).message);
}

HttpAnswer AgentService::metrics() const {
  // Null if a request comes before start() has returned.
  const HttpServer* const server = running_;
  const HttpCounters http = server != nullptr ? server->counters() : HttpCounters{};
  return {200, format_metrics(agent_.metrics(), http, agent_.cgroup_version()), "text/plain; version=0.0.4"};
}

}  // namespace dfrs::shim
