// SPDX-License-Identifier: GPL-2.0-or-later
// Proves who sent a message and for whom: MUNGE credentials that are bound to one request or answer.
//
// A request's credential covers method, target (path and query), receiver (the node's or the controller's name), the
// SHA-256 of the body and a fresh nonce, so that it is useless for another request or receiver. An answer's credential
// covers the nonce of the request, the receiver, the status and the SHA-256 of the body, so that an answer cannot be
// forged, changed, or taken from another exchange. munged refuses credentials that it has seen, but forgets them when
// it restarts. So requests that must not take effect twice carry an order of their own (epoch and sequence, see
// shim/quota/protocol.h). Bodies are not encrypted.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/auth/munge.h"

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
  std::string nonce;  ///< for the credential of the answer
};

/// Any thread. Each call asks munged once.
class Authenticator {
 public:
  /// munge_socket: empty for MUNGE's default.
  explicit Authenticator(std::string munge_socket = {}) : munge_(std::move(munge_socket)) {}

  tl::expected<SignedRequest, AuthError> sign_request(const RequestWords& request) const;
  /// Who sent the request. Refuses credentials that are not genuine, not fresh or of another request. The caller
  /// decides which users may do what.
  tl::expected<Requester, AuthError> verify_request(const std::string& credential, const RequestWords& request) const;

  /// The credential of an answer to the request of that nonce.
  tl::expected<std::string, AuthError> sign_answer(std::string_view nonce, std::string_view receiver, int status,
                                                   std::string_view body) const;
  /// Who sent the answer.
  tl::expected<uid_t, AuthError> verify_answer(const std::string& credential, std::string_view nonce,
                                               std::string_view receiver, int status, std::string_view body) const;

 private:
  Munge munge_;
};

/// "node:NAME", "controller:CLUSTER".
std::string node_receiver(std::string_view node);
std::string controller_receiver(std::string_view cluster);

}  // namespace dfrs::shim
