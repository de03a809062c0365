// SPDX-License-Identifier: GPL-2.0-or-later
// Proves who sent a message and for whom: credentials (MUNGE's or Slurm's own) that are bound to one request or answer.
//
// A request's credential covers method, target (path and query), receiver (the node's or the controller's name), the
// SHA-256 of the body and a fresh nonce, so that it is useless for another request or receiver. An answer's credential
// covers the nonce of the request, the receiver, the status and the SHA-256 of the body, so that an answer cannot be
// forged, changed, or taken from another exchange. Credentials that have been seen are refused, but forgotten when
// munged restarts (auth/slurm: this program). So requests that must not take effect twice carry an order of their own
// (epoch and sequence, see shim/quota/protocol.h). Bodies are not encrypted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/auth/credentials.h"

namespace dfrs::shim {

/// HTTP header fields of the two credentials.
inline constexpr const char* kRequestCredentialHeader = "DFRS-Credential";
inline constexpr const char* kAnswerCredentialHeader = "DFRS-Answer-Credential";

struct RequestWords {
  std::string_view method;    ///< "GET", "POST"
  std::string_view target;    ///< path and query as sent: "/v1/explain?job=7"
  std::string_view receiver;  ///< "node:NAME" or "controller:CLUSTER"
  std::string_view body;
};

struct SignedRequest {
  std::string credential;
  std::string nonce;  ///< for the check of the answer
};

struct Requester {
  uid_t uid = 0;
  std::string nonce;        ///< for the credential of the answer
  std::string body_digest;  ///< SHA-256 of the body that the credential was made for
  bool secret = false;      ///< nobody but us can have read the nonce
  /// In place of the nonce, if it was a request of a session (shim/auth/session.h): the session's name, and which of
  /// its requests this is.
  std::string session{};
  std::uint64_t number = 0;
};

/// Whether method, target and receiver are one line each: line ends separate them in what is signed.
bool one_line(const RequestWords& request);

/// The refusal of a request whose credential, or whose signature in a session, was made for another one.
AuthError other_message(const RequestWords& request);

/// Any thread; each call but verify_body() asks the service of credentials once.
class Authenticator {
 public:
  explicit Authenticator(const AuthOptions& options = {}) : credentials_(open_credentials(options)) {}

  /// `reader`: the user who alone needs to read the credential, so that a session can begin with it; none: anyone.
  tl::expected<SignedRequest, AuthError> sign_request(const RequestWords& request,
                                                      std::optional<uid_t> reader = std::nullopt) const;
  /// Who sent the request, before its body has arrived: ignores request.body. Refuses credentials that are not genuine,
  /// not fresh or of another request. The caller decides which users may do what.
  tl::expected<Requester, AuthError> verify_head(const std::string& credential, const RequestWords& request) const;
  /// Whether the body is the one that the credential was made for.
  static tl::expected<void, AuthError> verify_body(const Requester& requester, const RequestWords& request);
  /// Both.
  tl::expected<Requester, AuthError> verify_request(const std::string& credential, const RequestWords& request) const;

  /// The credential of an answer to the request of that nonce. `salt`: of the session that it begins (empty: it begins
  /// none). Anyone can read the credential: that of a session's beginning does not tell the nonce.
  tl::expected<std::string, AuthError> sign_answer(std::string_view nonce, std::string_view receiver, int status,
                                                   std::string_view body, std::string_view salt = {}) const;
  /// Who sent the answer.
  tl::expected<uid_t, AuthError> verify_answer(const std::string& credential, std::string_view nonce,
                                               std::string_view receiver, int status, std::string_view body,
                                               std::string_view salt = {}) const;

 private:
  std::unique_ptr<const Credentials> credentials_;
};

/// "node:NAME", "controller:CLUSTER".
std::string node_receiver(std::string_view node);
std::string controller_receiver(std::string_view cluster);

}  // namespace dfrs::shim
