// SPDX-License-Identifier: GPL-2.0-or-later
// A small HTTP/1.1 server whose requests carry credentials (shim/auth/authenticator.h), for the node agent and the
// control port. Its one thread answers one request at a time, so handlers should not block for long.
//
// A request is refused because of its head alone wherever possible: an unknown route, a missing or wrong credential, a
// user without the right or with too many requests, a body that is too large. Only POST requests have a body.
// Connections have little time unless an administrator uses them (shim/http/connections.h).
//
// A request of an administrator's may come with a session instead of a credential (shim/auth/session.h); a credential
// that only this server's user can read begins one.
//
// Every answer to a request with a valid credential or of a session is signed. Errors are JSON: {"error": "...",
// "reason": "..."}, where reason is a fixed word: reason_name() of a refusal (with status 401, or 503 if credentials
// cannot be checked), or not_found, method_not_allowed, too_large, too_many_requests (429, with Retry-After),
// bad_request, internal.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "shim/auth/credentials.h"
#include "shim/http/connections.h"

namespace dfrs::shim {

struct HttpRequest {
  std::string method;
  std::string path;                          ///< without the query
  std::map<std::string, std::string> query;  ///< decoded; the last value of a repeated key
  std::string body;
  uid_t uid = 0;               ///< of the requester, if authenticated
  bool authenticated = false;  ///< true on all routes but those for anyone
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::optional<std::chrono::seconds> retry_after = {};
};

/// An answer {"error": message, "reason": reason}.
HttpAnswer http_error(int status, std::string_view reason, std::string_view message);

enum class Access {
  anyone,         ///< credentials are ignored: for health and metrics
  user,           ///< any user of the cluster with a valid credential; the handler decides by uid
  administrator,  ///< root or HttpServerOptions::administrator
};

/// What a request costs: users may ask for much less often than for little.
enum class Cost { little, much };

struct HttpRoute {
  std::string method;
  std::string path;  ///< the whole path: "/v1/status"
  Access access = Access::administrator;
  /// Called on the server's thread. An exception becomes status 500.
  std::function<HttpAnswer(const HttpRequest&)> handler;
  Cost cost = Cost::little;
};

struct HttpServerOptions {
  std::string bind_address = "0.0.0.0";  ///< numeric, IPv4 or IPv6
  std::uint16_t port = 0;                ///< 0: any free port
  std::string receiver;                  ///< our name in credentials: node_receiver(), controller_receiver()
  AuthOptions auth;
  uid_t administrator = 0;                      ///< SlurmUser
  std::size_t max_body = std::size_t{1} << 20;  ///< bytes; larger bodies get status 413
  /// Requests a minute, for each user but root and the administrator; 0: no limit.
  double requests_per_minute = 0;
  double costly_requests_per_minute = 0;  ///< of those with Cost::much
  unsigned max_connections = 128;
  unsigned max_connections_per_address = 64;
  std::chrono::seconds idle_timeout{15};        ///< after which a silent connection is closed
  ConnectionLimits strangers;                   ///< all connections but those of administrators
  std::function<void(const std::string&)> log;  ///< warnings; any thread; may be empty
};

/// Counts since the start.
struct HttpCounters {
  std::map<std::pair<std::string, int>, std::uint64_t> answers;  ///< by route ("GET /metrics"; "other") and status
  std::array<std::uint64_t, kRefusalCount> refusals{};           ///< by Refusal
  std::uint64_t ended_connections = 0;                           ///< whose time was up
};

class HttpServer {
 public:
  /// Starts listening. Error: names the address and the system's reason.
  static tl::expected<std::unique_ptr<HttpServer>, std::string> start(HttpServerOptions options,
                                                                      std::vector<HttpRoute> routes);
  /// Stops listening; waits for the request that is being answered.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  HttpCounters counters() const;  ///< any thread

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dfrs::shim
