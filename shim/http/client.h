// SPDX-License-Identifier: GPL-2.0-or-later
// Authenticated requests to an HttpServer: one transfer for a curl multi handle, and a blocking call.
#pragma once

#include <curl/curl.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "shim/auth/authenticator.h"
#include "shim/auth/session.h"

namespace dfrs::shim {

struct HttpCall {
  std::string host;
  std::uint16_t port = 0;
  std::string method = "GET";  ///< GET or POST
  std::string target;          ///< path and query
  std::string receiver;        ///< the server's name in credentials
  std::string body;            ///< POST
};

struct HttpCallLimits {
  std::chrono::milliseconds connect_timeout{1000};
  std::chrono::milliseconds timeout{2000};         ///< the whole exchange
  std::size_t max_answer = std::size_t{16} << 20;  ///< bytes; longer answers are errors
};

struct HttpCallError {
  /// What became of the connection, if that was the error.
  enum class Connection : std::uint8_t {
    other,
    refused,  ///< the host is there, but nobody listens on the port
    broken,   ///< the server hung up before it had answered
  };
  std::string message;  ///< one line that names the server
  /// Whether one side refused the other's credential (wrong key, replay, unauthorised, ...).
  bool refused = false;
  Connection connection = Connection::other;
  /// Somebody at the server's address says that it does not know the session that the call was made in, as after a
  /// restart. It has ended here, too: the next call has a credential.
  bool session_ended = false;
};

struct HttpCallAnswer {
  int status = 0;  ///< any HTTP status, also 4xx and 5xx; the answer is authenticated
  std::string body;
};

/// A transfer on a reusable curl handle, whose multi handle keeps the connections. For one thread at a time.
class HttpTransfer {
 public:
  HttpTransfer();
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  /// Signs the call (asks for a credential, unless it is part of a session) and sets the handle up. `session`: the one
  /// with this server, for one call at a time; it must live until finish(). Null: the call has a credential.
  tl::expected<void, HttpCallError> prepare(const Authenticator& authenticator, HttpCall call,
                                            const HttpCallLimits& limits, ClientSession* session = nullptr);
  /// After the transfer: checks that the answer comes from root or `administrator` on the receiver and belongs to this
  /// call.
  tl::expected<HttpCallAnswer, HttpCallError> finish(const Authenticator& authenticator, CURLcode result,
                                                     uid_t administrator);
  CURL* handle() const { return curl_; }

 private:
  struct State;
  tl::expected<std::string, HttpCallError> sign(const Authenticator& authenticator);
  tl::expected<void, HttpCallError> verify(const Authenticator& authenticator, int status, uid_t administrator) const;
  tl::expected<void, HttpCallError> verify_session(int status) const;
  std::optional<std::string> answer_header(const char* name) const;
  CURL* curl_ = nullptr;
  std::unique_ptr<State> state_;
};

/// Initialises curl. The first call must precede other threads' use of curl; later ones do nothing. Any thread.
void curl_setup();

/// Makes one call and waits for the answer.
tl::expected<HttpCallAnswer, HttpCallError> http_call(const Authenticator& authenticator, const HttpCall& call,
                                                      const HttpCallLimits& limits, uid_t administrator);

}  // namespace dfrs::shim
