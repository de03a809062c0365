// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/signals.h"
#include "shim/auth/authenticator.h"
#include "shim/auth/session.h"
#include "shim/http/rate_limit.h"

namespace dfrs::shim {
namespace {

constexpr unsigned kListenBacklog = 128;
// For the request line and header fields of one request; a credential has some hundred bytes.
constexpr std::size_t kConnectionMemory = std::size_t{32} << 10;

// One request from its first line to its answer.
struct Exchange {
  std::string target;  // path and query as sent
  bool begun = false;
  bool done = false;  // the answer is queued
  const HttpRoute* route = nullptr;
  std::optional<Requester> requester;  // whose credential the head has
  std::string body;
  std::size_t excess = 0;  // bytes of a body that is too large
};

HttpAnswer refusal_answer(const AuthError& error) {
  return http_error(error.reason == Refusal::unavailable ? 503 : 401, reason_name(error.reason), error.message);
}

MHD_Result collect_query(void* query, MHD_ValueKind, const char* key, const char* value) {
  // Called from C: an exception may not pass.
  try {
    (*static_cast<std::map<std::string, std::string>*>(query))[key] = value != nullptr ? value : "";
    return MHD_YES;
  } catch (...) {
    return MHD_NO;
  }
}

// We open the listening socket ourselves for precise error messages.
tl::expected<int, std::string> listen_on(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return tl::unexpected(fmt::format("cannot listen on '{}': {}; expected a numeric IPv4 or IPv6 address", address,
                                      gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  const auto failed = [&](const char* step, int fd) {
    const int reason = errno;
    if (fd >= 0) close(fd);
    return tl::unexpected(fmt::format("cannot listen on {} port {}: {}: {}", address, port, step, strerror(reason)));
  };
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return failed("socket", fd);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, found->ai_addr, found->ai_addrlen) != 0) return failed("bind", fd);
  if (listen(fd, kListenBacklog) != 0) return failed("listen", fd);
  return fd;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace

HttpAnswer http_error(int status, std::string_view reason, std::string_view message) {
  const nlohmann::json body{{"error", message}, {"reason", reason}};
  // Bytes of a request that are not UTF-8 are replaced instead of throwing.
  return {status, body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", "application/json"};
}

struct HttpServer::Impl {
  HttpServerOptions options;
  std::vector<HttpRoute> routes;
  Authenticator authenticator;
  Connections connections;
  RateLimit requests;  // of the server's thread
  RateLimit costly_requests;
  ServerSessions sessions;  // of the server's thread
  MHD_Daemon* daemon = nullptr;
  std::uint16_t port = 0;
  mutable std::mutex mutex;
  HttpCounters counters;  // guarded by mutex

  Impl(HttpServerOptions options_in, std::vector<HttpRoute> routes_in)
      : options(std::move(options_in)),
        routes(std::move(routes_in)),
        authenticator(options.auth),
        connections(options.strangers),
        requests(options.requests_per_minute),
        costly_requests(options.costly_requests_per_minute) {}

  void log(const std::string& message) const {
    if (options.log) options.log(message);
  }

  bool is_administrator(uid_t user) const { return user == 0 || user == options.administrator; }

  // The answer to a request that is refused because of its head alone.
  std::optional<HttpAnswer> check_head(MHD_Connection* connection, const char* path, const char* method,
                                       Exchange& exchange) {
    bool path_known = false;
    for (const HttpRoute& route : routes) {
      if (route.path != path) continue;
      path_known = true;
      if (route.method == method) exchange.route = &route;
    }
    if (exchange.route == nullptr) {
      if (path_known) return http_error(405, "method_not_allowed", fmt::format("{} does not take {}", path, method));
      return http_error(404, "not_found", fmt::format("there is no {} here", path));
    }
    // libmicrohttpd refuses a malformed length itself.
    if (const char* const length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length")) {
      std::uint64_t bytes = 0;
      const char* const end = length + strlen(length);
      const auto [stop, error] = std::from_chars(length, end, bytes);
      if (error != std::errc() || stop != end || bytes > max_body(*exchange.route)) return too_large(*exchange.route);
    }
    if (exchange.route->access == Access::anyone) return std::nullopt;
    return check_requester(connection, path, method, exchange);
  }

  // Who asks, whether they may, and how often they do.
  std::optional<HttpAnswer> check_requester(MHD_Connection* connection, const char* path, const char* method,
                                            Exchange& exchange) {
    auto requester = verify_head(connection, {method, exchange.target, options.receiver, {}});
    if (!requester) {
      const Refusal reason = requester.error().reason;
      // A session that we do not know is an old one, of before our start.
      if (reason != Refusal::no_credential && reason != Refusal::unknown_session)
        log(fmt::format("refused {} {}{}: {}", method, path, peer(connection), requester.error().message));
      return refuse(requester.error());
    }
    exchange.requester = std::move(*requester);
    const uid_t user = exchange.requester->uid;
    Connections::Entry* const entry = entry_of(connection);
    if (entry != nullptr) connections.ignore(entry);
    if (is_administrator(user)) return std::nullopt;
    if (exchange.route->access == Access::administrator) {
      const AuthError error{Refusal::unauthorised,
                            fmt::format("user id {} may not {} {}; only root and SlurmUser (id {}) may", user, method,
                                        path, options.administrator)};
      log(fmt::format("refused {} {}{}: {}", method, path, peer(connection), error.message));
      return refuse(error);
    }
    return check_rate(user, *exchange.route);
  }

  tl::expected<Requester, AuthError> verify_head(MHD_Connection* connection, const RequestWords& words) {
    if (const char* const session = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, kSessionHeader))
      return sessions.verify_head(session, words, SessionClock::now());
    const char* const credential = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, kRequestCredentialHeader);
    return authenticator.verify_head(credential != nullptr ? credential : "", words);
  }

  std::optional<HttpAnswer> check_rate(uid_t user, const HttpRoute& route) {
    RateLimit& limit = route.cost == Cost::much ? costly_requests : requests;
    if (limit.per_minute() <= 0) return std::nullopt;
    const auto wait = limit.take(user, RateLimit::Clock::now());
    if (!wait) return std::nullopt;
    HttpAnswer answer = http_error(
        429, "too_many_requests",
        fmt::format("user id {} asks too often: {} is limited to {:g} requests a minute; try again in {} s", user,
                    route.cost == Cost::much ? route.path : "a user", limit.per_minute(), wait->count()));
    answer.retry_after = *wait;
    return answer;
  }

  std::size_t max_body(const HttpRoute& route) const { return route.method == "POST" ? options.max_body : 0; }

  HttpAnswer too_large(const HttpRoute& route) const {
    return http_error(413, "too_large", fmt::format("the request's body may have at most {} bytes", max_body(route)));
  }

  HttpAnswer refuse(const AuthError& error) {
    {
      const std::lock_guard lock(mutex);
      ++counters.refusals[static_cast<std::size_t>(error.reason)];
    }
    return refusal_answer(error);
  }

  HttpAnswer handle(const HttpRoute& route, const HttpRequest& request) const {
    try {
      return route.handler(request);
    } catch (const std::exception& error) {
      log(fmt::format("{} {}: {}", route.method, route.path, error.what()));
      return http_error(500, "internal", error.what());
    }
  }

  // Answers a complete request.
  MHD_Result answer_request(MHD_Connection* connection, const char* path, const char* method, Exchange& exchange) {
    const HttpRoute& route = *exchange.route;
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = std::move(exchange.body);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, collect_query, &request.query);
    if (exchange.requester) {
      const RequestWords words{request.method, exchange.target, options.receiver, request.body};
      if (const auto body = Authenticator::verify_body(*exchange.requester, words); !body) {
        log(fmt::format("refused {} {}{}: {}", method, path, peer(connection), body.error().message));
        exchange.requester.reset();  // somebody else's words: not worth a signature
        return queue(connection, exchange, refuse(body.error()));
      }
      request.uid = exchange.requester->uid;
      request.authenticated = true;
    }
    return queue(connection, exchange, handle(route, request));
  }

  static Connections::Entry* entry_of(MHD_Connection* connection) {
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != nullptr ? static_cast<Connections::Entry*>(info->socket_context) : nullptr;
  }

  static std::string peer(MHD_Connection* connection) {
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char host[INET6_ADDRSTRLEN + 16] = "";
    if (info == nullptr || info->client_addr == nullptr) return {};
    const socklen_t length = info->client_addr->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (getnameinfo(info->client_addr, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) return {};
    return fmt::format(" from {}", host);
  }

  // Queues the answer, signed if it is known who asks.
  MHD_Result queue(MHD_Connection* connection, Exchange& exchange, const HttpAnswer& answer) {
    exchange.done = true;
    {
      const std::lock_guard lock(mutex);
      const std::string route =
          exchange.route != nullptr ? fmt::format("{} {}", exchange.route->method, exchange.route->path) : "other";
      ++counters.answers[{route, answer.status}];
    }
    MHD_Response* const response = MHD_create_response_from_buffer(
        answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
    if (answer.retry_after) {
      MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER,
                              std::to_string(answer.retry_after->count()).c_str());
    }
    if (exchange.requester) sign(response, *exchange.requester, answer);
    const MHD_Result result = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
    MHD_destroy_response(response);
    return result;
  }

  // Without a signature the client refuses the answer and says so.
  void sign(MHD_Response* response, const Requester& requester, const HttpAnswer& answer) {
    if (!requester.session.empty()) {
      if (const auto mac = sessions.sign_answer(requester, answer.status, answer.body))
        MHD_add_response_header(response, kSessionHeader, mac->c_str());
      return;
    }
    std::optional<std::string> salt;
    if (is_administrator(requester.uid) && requester.secret) {
      salt = sessions.begin(requester, options.receiver, SessionClock::now());
      if (!salt) return log("no random numbers for a session");  // without its salt the answer would tell the nonce
    }
    const auto credential =
        authenticator.sign_answer(requester.nonce, options.receiver, answer.status, answer.body, salt.value_or(""));
    if (!credential) {
      log(credential.error().message);
      return;
    }
    MHD_add_response_header(response, kAnswerCredentialHeader, credential->c_str());
    if (salt) MHD_add_response_header(response, kSessionHeader, format_beginning(*salt).c_str());
  }

  MHD_Result on_data(MHD_Connection* connection, const char* path, const char* method, const char* data,
                     std::size_t* size, Exchange& exchange) {
    if (!exchange.begun) {
      exchange.begun = true;
      if (const auto error = check_head(connection, path, method, exchange)) return queue(connection, exchange, *error);
      return MHD_YES;
    }
    if (exchange.done) {  // the rest of a refused body
      *size = 0;
      return MHD_YES;
    }
    if (*size > 0) {
      // The size of a chunked body is unknown before its end, and only then can an answer be queued. So we read and
      // drop what is too much, and close the connection if there is too much of that.
      const std::size_t most = max_body(*exchange.route);
      if (exchange.excess > 0 || *size > most - exchange.body.size()) {
        exchange.excess += *size;
        exchange.body.clear();
        if (exchange.excess > options.max_body) return MHD_NO;
      } else {
        exchange.body.append(data, *size);
      }
      *size = 0;
      return MHD_YES;
    }
    if (exchange.excess > 0) return queue(connection, exchange, too_large(*exchange.route));
    return answer_request(connection, path, method, exchange);
  }

  // ---- called by libmicrohttpd: no exception may pass through it ----

  static void* begin(void*, const char* uri, MHD_Connection*) {
    try {
      auto exchange = std::make_unique<Exchange>();
      exchange->target = uri;
      return exchange.release();
    } catch (...) {
      return nullptr;
    }
  }

  static MHD_Result access(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                           const char* data, std::size_t* size, void** state) {
    if (*state == nullptr) return MHD_NO;  // out of memory in begin()
    try {
      return static_cast<Impl*>(self)->on_data(connection, url, method, data, size, *static_cast<Exchange*>(*state));
    } catch (...) {
      return MHD_NO;
    }
  }

  static void completed(void* self, MHD_Connection* connection, void** state, MHD_RequestTerminationCode) {
    const std::unique_ptr<Exchange> exchange(static_cast<Exchange*>(*state));
    *state = nullptr;
    auto* const impl = static_cast<Impl*>(self);
    const bool trusted = exchange && exchange->requester && impl->is_administrator(exchange->requester->uid);
    if (Connections::Entry* const entry = entry_of(connection); entry != nullptr && !trusted)
      impl->connections.watch(entry);
  }

  static void connection_changed(void* self, MHD_Connection* connection, void** context,
                                 MHD_ConnectionNotificationCode what) {
    Connections& connections = static_cast<Impl*>(self)->connections;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
      if (*context != nullptr) connections.closed(static_cast<Connections::Entry*>(*context));
      *context = nullptr;
      return;
    }
    try {
      const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      if (info != nullptr) *context = connections.opened(info->connect_fd);
    } catch (...) {  // memory is short: it is not watched
    }
  }

  __attribute__((format(printf, 2, 0))) static void mhd_log(void* self, const char* format, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = '\0';
    try {
      static_cast<Impl*>(self)->log(fmt::format("HTTP: {}", text));
    } catch (...) {
    }
  }
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  if (impl_->daemon != nullptr) MHD_stop_daemon(impl_->daemon);
}

tl::expected<std::unique_ptr<HttpServer>, std::string> HttpServer::start(HttpServerOptions options,
                                                                         std::vector<HttpRoute> routes) {
  const auto listener = listen_on(options.bind_address, options.port);
  if (!listener) return tl::unexpected(listener.error());
  auto impl = std::make_unique<Impl>(std::move(options), std::move(routes));
  impl->port = bound_port(*listener);
  const HttpServerOptions& o = impl->options;

  // Signals are for the host program's threads, not for the server's.
  const base::SignalsBlocked blocked;
  impl->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, nullptr, nullptr,
      Impl::access, impl.get(), MHD_OPTION_EXTERNAL_LOGGER, Impl::mhd_log, impl.get(), MHD_OPTION_LISTEN_SOCKET,
      *listener, MHD_OPTION_URI_LOG_CALLBACK, Impl::begin, impl.get(), MHD_OPTION_NOTIFY_COMPLETED, Impl::completed,
      impl.get(), MHD_OPTION_NOTIFY_CONNECTION, Impl::connection_changed, impl.get(), MHD_OPTION_CONNECTION_LIMIT,
      o.max_connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT, o.max_connections_per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(o.idle_timeout.count()), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemory, MHD_OPTION_END);
  if (impl->daemon == nullptr) {
    close(*listener);
    return tl::unexpected(fmt::format("cannot start the HTTP server on {} port {}", o.bind_address, impl->port));
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->port; }

HttpCounters HttpServer::counters() const {
  const std::lock_guard lock(impl_->mutex);
  HttpCounters counters = impl_->counters;
  counters.ended_connections = impl_->connections.ended();
  return counters;
}

}  // namespace dfrs::shim
