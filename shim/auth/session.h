// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions: a controller that talks to the same agents all day proves its requests with a key that it shares with each
// of them, instead of a new credential for each request and each answer.
//
// A session begins with a request whose credential nobody but the receiver can read (Requester::secret), so that only
// the two sides know its nonce. The server's answer has a salt, which its credential covers, and both derive the key
// from nonce, salt and receiver. From then on a request carries the session's name, its number in the session, the
// digest of its body, and an HMAC-SHA256 of these and of what a credential would cover; its answer carries an
// HMAC-SHA256 of the number, status and body. A number that is not greater than all before it is refused, so that
// nothing counts twice. A server that does not know the session (it was restarted) says so, and the client begins a new
// one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/auth/authenticator.h"

namespace dfrs::shim {

/// HTTP header field of requests and answers.
inline constexpr const char* kSessionHeader = "DFRS-Session";

using SessionClock = std::chrono::steady_clock;

/// After so long the client begins a new session, so that both sides ask for credentials again.
inline constexpr std::chrono::minutes kClientSessionLife{10};
/// After so long the server forgets a session. Longer, so that it is the client that ends it.
inline constexpr std::chrono::minutes kServerSessionLife{11};
/// A server has one controller, and perhaps its backup. The one that was used least recently makes room.
inline constexpr std::size_t kMaxSessions = 8;

/// The header of an answer that begins a session with this salt.
std::string format_beginning(std::string_view salt);
/// The salt of such a header; empty if it is none.
std::string_view parse_beginning(std::string_view header);

class SessionKey {
 public:
  SessionKey(std::string_view nonce, std::string_view salt, std::string_view receiver);

  /// Names the key, and tells nothing about it.
  const std::string& name() const { return name_; }
  /// Ignores request.body.
  std::string mac_of_request(std::uint64_t number, const RequestWords& request, std::string_view body_digest) const;
  std::string mac_of_answer(std::uint64_t number, int status, std::string_view body) const;

 private:
  std::string key_;
  std::string name_;
};

/// The client's side of a session with one server. For one thread at a time.
class ClientSession {
 public:
  /// `server`: the user that the server runs as, who alone may read the credential that begins a session.
  explicit ClientSession(uid_t server) : server_(server) {}

  uid_t server() const { return server_; }
  /// After a request with a credential, whose answer with this salt has been verified.
  void begin(std::string_view nonce, std::string_view receiver, std::string_view salt, SessionClock::time_point now);
  void end() { key_.reset(); }
  /// Whether the next request is to be signed here.
  bool usable(SessionClock::time_point now) const { return key_ && now - begun_ < kClientSessionLife; }

  /// The header of a request. usable() must hold.
  std::string sign(const RequestWords& request);
  /// Whether this is the answer to the last request that was signed.
  bool verify_answer(std::string_view header, int status, std::string_view body) const;

 private:
  uid_t server_;
  std::optional<SessionKey> key_;
  SessionClock::time_point begun_{};
  std::uint64_t number_ = 0;  // of the last request
};

/// The server's side. For one thread at a time.
class ServerSessions {
 public:
  /// Begins a session with who sent this request. Returns its salt; nothing if its credential could have been read by
  /// others.
  std::optional<std::string> begin(const Requester& requester, std::string_view receiver, SessionClock::time_point now);
  /// As Authenticator::verify_head(), by the request's session header.
  tl::expected<Requester, AuthError> verify_head(std::string_view header, const RequestWords& request,
                                                 SessionClock::time_point now);
  /// The header of the answer; nothing if the session has ended meanwhile.
  std::optional<std::string> sign_answer(const Requester& requester, int status, std::string_view body) const;

 private:
  struct Session {
    SessionKey key;
    uid_t uid;
    SessionClock::time_point begun;
    std::uint64_t last_number = 0;
  };
  std::list<Session> sessions_;  // the most recently used first
};

}  // namespace dfrs::shim
