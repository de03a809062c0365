// SPDX-License-Identifier: GPL-2.0-or-later
// Serves a page about a running cluster to the browser of the user who runs dfrsctl: on 127.0.0.1 only, to those who
// know the token in its address, read-only. The page follows the cluster by server-sent events.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "shim/web/feed.h"

namespace dfrs::shim::web {

struct WebOptions {
  std::uint16_t port = 0;  ///< 0: any free port
  std::string token;       ///< what an address must have; see new_token()
};

/// 128 random bits in hexadecimal. Error: the system gives none.
tl::expected<std::string, std::string> new_token();

class WebServer {
 public:
  /// A text for `GET /explain?job=N`: JSON, whatever the controller says.
  using Explain = std::function<std::string(std::uint32_t job)>;

  /// Starts listening. `feed` must outlive the server. Error: names the port and the system's reason.
  static tl::expected<std::unique_ptr<WebServer>, std::string> start(WebOptions options, Feed& feed, Explain explain);
  /// Ends all connections.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  std::uint16_t port() const;
  /// "http://127.0.0.1:PORT/?token=TOKEN"
  std::string address() const;

 private:
  struct Impl;
  explicit WebServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dfrs::shim::web
