// SPDX-License-Identifier: GPL-2.0-or-later
// The control port of a live controller: what it is doing, for dfrsctl (docs/reference/dfrsctl.md).
//
//   GET  /v1/version /v1/status /v1/nodes /v1/explain?job=N /v1/repack /v1/record   any user of the cluster, as squeue
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
  std::uint16_t port = 0;  ///< 0: any free one
  std::string cluster;     ///< ClusterName
  AuthOptions auth;
  uid_t slurm_user = 0;
  double requests_per_minute = 0;  ///< of each user but root and SlurmUser; 0: no limit
  double repacks_per_minute = 0;
  bool metrics = false;
  std::function<void(const std::string&)> log;  ///< warnings; any thread
  std::function<void()>
      wake;  ///< asks for a step of the controller: a record begins with one; any thread; may be empty
};

class ControlServer {
 public:
  /// Listens and answers on a thread of its own, until it is destroyed; `inspection` and `recorder` must outlive it.
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
  std::unique_ptr<HttpServer> server_;  // goes first: no handler is called any more
};

}  // namespace dfrs::shim
