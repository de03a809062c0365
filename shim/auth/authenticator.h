// SPDX-License-Identifier: GPL-2.0-or-later
// Who sent this, and was it meant for us: credentials (MUNGE's or Slurm's own) bound to one request or to one answer.
//
// A request's credential covers method, target (path and query), receiver (the node's name, or the controller's), the
// SHA-256 of the body and a fresh nonce: it is worth nothing on another request or to another receiver. An answer's
// covers the nonce of the request, the receiver, the status and the body's SHA-256: an answer cannot be made up,
// changed, or taken from another exchange. A credential that has been seen is refused; after a restart (of munged, or
// of this program with auth/slurm) it is forgotten, so that what must not happen twice also needs an order of its own
// (epoch and sequence, see shim/quota/protocol.h). The body itself is not encrypted.
#pragma once

#include <sys/types.h>

#include <memory>
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
  std::string_view receiver;  ///< who is to answer: "node:NAME" or "controller:CLUSTER"
  std::string_view body;
};

struct SignedRequest {
  std::string credential;
  std::string nonce;  ///< to check the answer against
};

struct Requester {
  uid_t uid = 0;
  std::string nonce;        ///< to bind the answer to
  std::string body_digest;  ///< SHA-256 of the body that the credential was made for
};

/// Any thread; each call but verify_body() asks the service of credentials once.
class Authenticator {
 public:
  explicit Authenticator(const AuthOptions& options = {}) : credentials_(open_credentials(options)) {}

  tl::expected<SignedRequest, AuthError> sign_request(const RequestWords& request) const;
  /// Whose request it is, before its body has come (request.body is not looked at); refuses what is not genuine, not
  /// fresh or not this very request. Which users may do what is the caller's question.
  tl::expected<Requester, AuthError> verify_head(const std::string& credential, const RequestWords& request) const;
  /// Whether the body is the one that the credential was made for.
  static tl::expected<void, AuthError> verify_body(const Requester& requester, const RequestWords& request);
  /// Both.
  tl::expected<Requester, AuthError> verify_request(const std::string& credential, const RequestWords& request) const;

  /// The credential of an answer to the request of that nonce.
  tl::expected<std::string, AuthError> sign_answer(std::string_view nonce, std::string_view receiver, int status,
                                                   std::string_view body) const;
  /// Whose answer it is.
  tl::expected<uid_t, AuthError> verify_answer(const std::string& credential, std::string_view nonce,
                                               std::string_view receiver, int status, std::string_view body) const;

 private:
  std::unique_ptr<const Credentials> credentials_;
};

/// "node:NAME", "controller:CLUSTER".
std::string node_receiver(std::string_view node);
std::string controller_receiver(std::string_view cluster);

}  // namespace dfrs::shim
