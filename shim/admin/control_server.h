// SPDX-License-Identifier: GPL-2.0-or-later
// The control port of a live controller, where it answers dfrsctl (docs/reference/dfrsctl.md).
//
//   GET  /v1/version /v1/status /v1/nodes /v1/explain?job=N /v1/history /v1/repack /v1/record   any user of the
//                                                                                 cluster, as squeue
//   POST /v1/record  {"on": "/path"} or {"off": true}                               root and SlurmUser
//   GET  /metrics    Prometheus text                                                anyone, if options.metrics
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "record/recorder.h"
#include "shim/admin/status.h"
#include "shim/http/server.h"

namespace dfrs::shim {

struct ControlServerOptions {
  std::string bind_address = "0.0.0.0";
  std::uint16_t port = 0;  ///< 0: any free port
  std::string cluster;     ///< ClusterName
  AuthOptions auth;
  uid_t slurm_user = 0;
  double requests_per_minute = 0;  ///< of each user but root and SlurmUser; 0: no limit
  double repacks_per_minute = 0;
  bool metrics = false;
  std::function<void(const std::string&)> log;  ///< warnings; any thread
  /// Requests a step of the controller, with which a record begins. Any thread; may be empty.
  std::function<void()> wake;
};

class ControlServer {
 public:
  /// Answers on a thread of its own until it is destroyed. `inspection` and `recorder` must outlive it.
  static tl::expected<std::unique_ptr<ControlServer>, std::string> start(ControlServerOptions options,
                                                                         const Inspection& inspection,
                                                                         record::Recorder& recorder);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  std::uint16_t port() const { return server_->port(); }
  HttpCounters counters() const { return server_->counters(); }

 private:
  struct Handlers;
  ControlServer(std::unique_ptr<Handlers> handlers, std::unique_ptr<HttpServer> server);

  std::unique_ptr<Handlers> handlers_;
  std::unique_ptr<HttpServer> server_;  // destroyed first, so that no handler is called any more
};

}  // namespace dfrs::shim
