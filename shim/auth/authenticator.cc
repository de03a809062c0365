// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/authenticator.h"

#include <fmt/format.h>
#include <string.h>

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "base/sha256.h"

namespace dfrs::shim {
namespace {

constexpr std::string_view kRequestKind = "dfrs-request-1";
constexpr std::string_view kAnswerKind = "dfrs-answer-1";
constexpr std::string_view kBeginningKind = "dfrs-session-answer-1";  // which begins a session
constexpr std::size_t kNonceDigits = 32;
constexpr std::size_t kDigestDigits = 64;

std::string request_payload(const RequestWords& request, std::string_view nonce, std::string_view body_digest) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", kRequestKind, nonce, request.method, request.target, request.receiver,
                     body_digest);
}

std::string answer_payload(std::string_view nonce, std::string_view receiver, int status, std::string_view body,
                           std::string_view salt) {
  if (!salt.empty())
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", kBeginningKind, base::sha256_hex(nonce), receiver, status,
                       base::sha256_hex(body), salt);
  return fmt::format("{}\n{}\n{}\n{}\n{}\n", kAnswerKind, nonce, receiver, status, base::sha256_hex(body));
}

// The nonce of a request's payload; nothing if it is no request's payload.
std::optional<std::string> nonce_of(std::string_view payload) {
  if (payload.size() < kRequestKind.size() + kNonceDigits + 2) return std::nullopt;
  if (payload.substr(0, kRequestKind.size()) != kRequestKind || payload[kRequestKind.size()] != '\n')
    return std::nullopt;
  const std::string_view nonce = payload.substr(kRequestKind.size() + 1, kNonceDigits);
  if (nonce.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return std::string(nonce);
}

// The digest that ends a request's payload.
std::string digest_of(std::string_view payload) {
  if (payload.size() < kDigestDigits + 1) return {};
  return std::string(payload.substr(payload.size() - kDigestDigits - 1, kDigestDigits));
}

}  // namespace

std::string node_receiver(std::string_view node) { return fmt::format("node:{}", node); }
std::string controller_receiver(std::string_view cluster) { return fmt::format("controller:{}", cluster); }

bool one_line(const RequestWords& request) {
  const auto has_line_end = [](std::string_view text) { return text.find('\n') != std::string_view::npos; };
  return !has_line_end(request.method) && !has_line_end(request.target) && !has_line_end(request.receiver);
}

AuthError other_message(const RequestWords& request) {
  if (!one_line(request)) return {Refusal::other_message, "a request's method and target must be one line"};
  return {
      Refusal::other_message,
      fmt::format(
          "the credential or the session's signature was made for another request, receiver or body than {} {} to {}",
          request.method, request.target, request.receiver)};
}

tl::expected<SignedRequest, AuthError> Authenticator::sign_request(const RequestWords& request,
                                                                   std::optional<uid_t> reader) const {
  if (!one_line(request))
    return tl::unexpected(AuthError{Refusal::malformed, "a request's method, target and receiver must be one line"});
  const auto nonce = base::random_hex(kNonceDigits / 2);
  if (!nonce) {
    return tl::unexpected(
        AuthError{Refusal::unavailable, fmt::format("no random numbers: {}", strerror(nonce.error()))});
  }
  const std::string payload = request_payload(request, *nonce, base::sha256_hex(request.body));
  return (reader ? credentials_->encode_for(*reader, payload) : credentials_->encode(payload))
      .map([&](std::string&& credential) { return SignedRequest{std::move(credential), *nonce}; });
}

tl::expected<Requester, AuthError> Authenticator::verify_head(const std::string& credential,
                                                              const RequestWords& request) const {
  if (credential.empty()) {
    return tl::unexpected(AuthError{
        Refusal::no_credential, fmt::format("the request has no {} header; use dfrsctl", kRequestCredentialHeader)});
  }
  const auto decoded = credentials_->decode(credential);
  if (!decoded) return tl::unexpected(decoded.error());
  const std::optional<std::string> nonce = nonce_of(decoded->payload);
  if (!nonce) return tl::unexpected(AuthError{Refusal::malformed, "the credential is not one of a dfrs request"});
  std::string digest = digest_of(decoded->payload);
  if (!one_line(request) || decoded->payload != request_payload(request, *nonce, digest))
    return tl::unexpected(other_message(request));
  return Requester{decoded->uid, *nonce, std::move(digest), decoded->secret};
}

tl::expected<void, AuthError> Authenticator::verify_body(const Requester& requester, const RequestWords& request) {
  if (requester.body_digest != base::sha256_hex(request.body)) return tl::unexpected(other_message(request));
  return {};
}

tl::expected<Requester, AuthError> Authenticator::verify_request(const std::string& credential,
                                                                 const RequestWords& request) const {
  auto requester = verify_head(credential, request);
  if (!requester) return requester;
  if (const auto body = verify_body(*requester, request); !body) return tl::unexpected(body.error());
  return requester;
}

tl::expected<std::string, AuthError> Authenticator::sign_answer(std::string_view nonce, std::string_view receiver,
                                                                int status, std::string_view body,
                                                                std::string_view salt) const {
  return credentials_->encode(answer_payload(nonce, receiver, status, body, salt));
}

tl::expected<uid_t, AuthError> Authenticator::verify_answer(const std::string& credential, std::string_view nonce,
                                                            std::string_view receiver, int status,
                                                            std::string_view body, std::string_view salt) const {
  if (credential.empty()) return tl::unexpected(AuthError{Refusal::no_credential, "the answer carries no credential"});
  const auto decoded = credentials_->decode(credential);
  if (!decoded) return tl::unexpected(decoded.error());
  if (decoded->payload != answer_payload(nonce, receiver, status, body, salt)) {
    return tl::unexpected(AuthError{Refusal::other_message,
                                    fmt::format("the answer's credential is not for this exchange with {}", receiver)});
  }
  return decoded->uid;
}

}  // namespace dfrs::shim
