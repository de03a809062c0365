// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/web/web_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/random.h"
#include "base/signals.h"
#include "shim/web/page.h"
#include "timeline/encode.h"
#include "timeline/page.h"

namespace dfrs::shim::web {
namespace {

constexpr std::chrono::seconds kStillHere{10};
constexpr std::size_t kBlock = std::size_t{64} << 10;

// In the time of the cluster, as all that the page says.
std::string since(const timeline::Schedule& seen) {
  const int offset = seen.utc_offset.value_or(0);
  const std::time_t seconds = static_cast<std::time_t>(seen.begin) + offset;
  std::tm broken_down{};
  std::string text = fmt::format("Since {:%Y-%m-%d %H:%M} UTC", *gmtime_r(&seconds, &broken_down));
  const int minutes = std::abs(offset) / 60;
  if (minutes != 0) text += fmt::format("{}{}", offset < 0 ? '-' : '+', minutes / 60);
  if (minutes % 60 != 0) text += fmt::format(":{:02}", minutes % 60);
  return text;
}

// The time does not depend on where the texts differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differ = 0;
  for (std::size_t k = 0; k < a.size(); ++k) differ |= static_cast<unsigned char>(a[k] ^ b[k]);
  return differ == 0;
}

struct Stream {
  explicit Stream(Feed& of) : feed(of), rest(of.begin(seen)) {}
  Feed& feed;
  std::uint64_t seen = 0;
  std::string rest;  // not sent yet
  std::size_t sent = 0;
};

ssize_t read_stream(void* opaque, std::uint64_t, char* buffer, std::size_t most) {
  auto& stream = *static_cast<Stream*>(opaque);
  // Called from C: an exception may not pass.
  try {
    while (stream.sent == stream.rest.size()) {
      auto more = stream.feed.next(stream.seen, kStillHere);
      if (!more) return MHD_CONTENT_READER_END_OF_STREAM;
      stream.rest = std::move(*more);
      stream.sent = 0;
    }
  } catch (...) {
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
  const std::size_t now = std::min(most, stream.rest.size() - stream.sent);
  memcpy(buffer, stream.rest.data() + stream.sent, now);
  stream.sent += now;
  return static_cast<ssize_t>(now);
}

void end_stream(void* opaque) { delete static_cast<Stream*>(opaque); }

tl::expected<int, std::string> listen_locally(std::uint16_t port) {
  const auto failed = [&](const char* step, int fd) {
    const int reason = errno;
    if (fd >= 0) close(fd);
    return tl::unexpected(
        fmt::format("cannot listen on 127.0.0.1 port {}: {}: {}; --port of dfrsctl web chooses another", port, step,
                    strerror(reason)));
  };
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return failed("socket", fd);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return failed("bind", fd);
  if (listen(fd, 16) != 0) return failed("listen", fd);
  return fd;
}

std::uint16_t port_of(int fd) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.sin_port);
}

}  // namespace

tl::expected<std::string, std::string> new_token() {
  return base::random_hex(16).map_error(
      [](int error) { return fmt::format("no random numbers: {}", strerror(error)); });
}

struct WebServer::Impl {
  WebOptions options;
  Feed& feed;
  Explain explain;
  MHD_Daemon* daemon = nullptr;
  std::uint16_t port = 0;

  Impl(WebOptions options_in, Feed& feed_in, Explain explain_in)
      : options(std::move(options_in)), feed(feed_in), explain(std::move(explain_in)) {}

  // `framed_by`: which pages may show the answer in a frame.
  static MHD_Result send(MHD_Connection* connection, unsigned status, MHD_Response* response, const char* type,
                         const char* framed_by = "'none'") {
    if (response == nullptr) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    const std::string policy = fmt::format(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        "frame-src 'self'; frame-ancestors {}; base-uri 'none'; form-action 'none'",
        framed_by);
    MHD_add_response_header(response, "Content-Security-Policy", policy.c_str());
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    const MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
  }

  static MHD_Result send_text(MHD_Connection* connection, unsigned status, std::string_view text, const char* type,
                              const char* framed_by = "'none'") {
    return send(connection, status,
                MHD_create_response_from_buffer(text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY),
                type, framed_by);
  }

  static std::string_view value(MHD_Connection* connection, MHD_ValueKind kind, const char* name) {
    const char* const text = MHD_lookup_connection_value(connection, kind, name);
    return text != nullptr ? text : std::string_view();
  }

  // A page of another site may name this address, but not under our name: that keeps its scripts out.
  bool right_host(MHD_Connection* connection) const {
    const std::string_view host = value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }

  MHD_Result answer(MHD_Connection* connection, std::string_view path, std::string_view method) {
    if (method != "GET") return send_text(connection, 405, "read-only\n", "text/plain");
    if (!right_host(connection)) return send_text(connection, 403, "wrong host\n", "text/plain");
    if (!same_secret(value(connection, MHD_GET_ARGUMENT_KIND, "token"), options.token)) {
      return send_text(connection, 403, "wrong token: use the address that dfrsctl web printed\n", "text/plain");
    }
    if (path == "/") return send_text(connection, 200, page_text(), "text/html; charset=utf-8");
    if (path == "/events") {
      return send(
          connection, 200,
          MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kBlock, read_stream, new Stream(feed), end_stream),
          "text/event-stream");
    }
    if (path == "/timeline") {
      const timeline::Schedule seen = feed.schedule();
      return send_text(connection, 200, timeline::timeline_page(since(seen), "", {&seen, 1}),
                       "text/html; charset=utf-8", "'self'");
    }
    if (path == "/schedule") {
      return send_text(connection, 200, timeline::compressed_base64(timeline::encode_schedule(feed.schedule())),
                       "text/plain");
    }
    if (path == "/explain") {
      const std::string_view text = value(connection, MHD_GET_ARGUMENT_KIND, "job");
      std::uint32_t job = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), job);
      if (error != std::errc() || end != text.data() + text.size()) {
        return send_text(connection, 400, "expected a job's number\n", "text/plain");
      }
      return send_text(connection, 200, explain(job), "application/json");
    }
    return send_text(connection, 404, "not found\n", "text/plain");
  }

  static MHD_Result access(void* self, MHD_Connection* connection, const char* path, const char* method, const char*,
                           const char*, std::size_t*, void**) {
    // Called from C: an exception may not pass.
    try {
      return static_cast<Impl*>(self)->answer(connection, path, method);
    } catch (...) {
      return MHD_NO;
    }
  }
};

WebServer::WebServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

WebServer::~WebServer() {
  impl_->feed.close();
  if (impl_->daemon != nullptr) MHD_stop_daemon(impl_->daemon);
}

tl::expected<std::unique_ptr<WebServer>, std::string> WebServer::start(WebOptions options, Feed& feed,
                                                                       Explain explain) {
  const auto listener = listen_locally(options.port);
  if (!listener) return tl::unexpected(listener.error());
  auto impl = std::make_unique<Impl>(std::move(options), feed, std::move(explain));
  impl->port = port_of(*listener);
  const base::SignalsBlocked blocked;  // signals are for the main thread
  // A thread for each of the few connections, because a stream blocks until there is something to tell.
  impl->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC, 0, nullptr, nullptr,
      Impl::access, impl.get(), MHD_OPTION_LISTEN_SOCKET, *listener, MHD_OPTION_CONNECTION_LIMIT, 32U, MHD_OPTION_END);
  if (impl->daemon == nullptr) {
    close(*listener);
    return tl::unexpected(fmt::format("cannot start the web server on 127.0.0.1 port {}", impl->port));
  }
  return std::unique_ptr<WebServer>(new WebServer(std::move(impl)));
}

std::uint16_t WebServer::port() const { return impl_->port; }

std::string WebServer::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", impl_->port, impl_->options.token);
}

}  // namespace dfrs::shim::web
