// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hmac_sha256.h"
#include "base/random.h"
#include "base/sha256.h"

namespace dfrs::shim {
namespace {

constexpr std::string_view kBegun = "begun ";
constexpr std::size_t kNameDigits = 32;
constexpr std::size_t kSaltDigits = 32;
constexpr std::size_t kDigestDigits = 64;

bool hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The header of a request: NAME NUMBER DIGEST MAC.
struct Claim {
  std::string_view name;
  std::uint64_t number = 0;
  std::string_view body_digest;
  std::string_view mac;
};

std::optional<Claim> parse_claim(std::string_view header) {
  const auto next = [&header] {
    const std::size_t end = std::min(header.find(' '), header.size());
    const std::string_view word = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    return word;
  };
  Claim claim;
  claim.name = next();
  const std::string_view number = next();
  claim.body_digest = next();
  claim.mac = header;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), claim.number);
  if (error != std::errc() || stop != number.data() + number.size()) return std::nullopt;
  if (!hexadecimal(claim.name, kNameDigits) || !hexadecimal(claim.body_digest, kDigestDigits) ||
      !hexadecimal(claim.mac, kDigestDigits))
    return std::nullopt;
  return claim;
}

}  // namespace

std::string format_beginning(std::string_view salt) { return fmt::format("{}{}", kBegun, salt); }

std::string_view parse_beginning(std::string_view header) {
  if (!header.starts_with(kBegun)) return {};
  const std::string_view salt = header.substr(kBegun.size());
  return hexadecimal(salt, kSaltDigits) ? salt : std::string_view();
}

SessionKey::SessionKey(std::string_view nonce, std::string_view salt, std::string_view receiver)
    : key_(base::hmac_sha256(nonce, fmt::format("dfrs-session-1\n{}\n{}\n", salt, receiver))),
      name_(base::hmac_sha256_hex(key_, "name\n").substr(0, kNameDigits)) {}

std::string SessionKey::mac_of_request(std::uint64_t number, const RequestWords& request,
                                       std::string_view body_digest) const {
  return base::hmac_sha256_hex(key_, fmt::format("request\n{}\n{}\n{}\n{}\n{}\n", number, request.method,
                                                 request.target, request.receiver, body_digest));
}

std::string SessionKey::mac_of_answer(std::uint64_t number, int status, std::string_view body) const {
  return base::hmac_sha256_hex(key_, fmt::format("answer\n{}\n{}\n{}\n", number, status, base::sha256_hex(body)));
}

void ClientSession::begin(std::string_view nonce, std::string_view receiver, std::string_view salt,
                          SessionClock::time_point now) {
  key_.emplace(nonce, salt, receiver);
  begun_ = now;
  number_ = 0;
}

std::string ClientSession::sign(const RequestWords& request) {
  const std::string digest = base::sha256_hex(request.body);
  ++number_;
  return fmt::format("{} {} {} {}", key_->name(), number_, digest, key_->mac_of_request(number_, request, digest));
}

bool ClientSession::verify_answer(std::string_view header, int status, std::string_view body) const {
  return key_ && base::same_secret(header, key_->mac_of_answer(number_, status, body));
}

std::optional<std::string> ServerSessions::begin(const Requester& requester, std::string_view receiver,
                                                 SessionClock::time_point now) {
  if (!requester.secret) return std::nullopt;
  const auto salt = base::random_hex(kSaltDigits / 2);
  if (!salt) return std::nullopt;
  sessions_.push_front({SessionKey(requester.nonce, *salt, receiver), requester.uid, now});
  if (sessions_.size() > kMaxSessions) sessions_.pop_back();
  return *salt;
}

tl::expected<Requester, AuthError> ServerSessions::verify_head(std::string_view header, const RequestWords& request,
                                                               SessionClock::time_point now) {
  const std::optional<Claim> claim = parse_claim(header);
  if (!claim)
    return tl::unexpected(
        AuthError{Refusal::malformed, fmt::format("the request's {} header is not one of dfrs", kSessionHeader)});
  sessions_.remove_if([now](const Session& session) { return now - session.begun >= kServerSessionLife; });
  const auto session = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&](const Session& each) { return each.key.name() == claim->name; });
  if (session == sessions_.end())
    return tl::unexpected(
        AuthError{Refusal::unknown_session, "the request's session is not known here (any more); begin a new one"});
  if (!one_line(request) ||
      !base::same_secret(claim->mac, session->key.mac_of_request(claim->number, request, claim->body_digest)))
    return tl::unexpected(other_message(request));
  if (claim->number <= session->last_number)
    return tl::unexpected(
        AuthError{Refusal::replayed, "the session has had this request or a later one before (a replayed request)"});
  session->last_number = claim->number;
  sessions_.splice(sessions_.begin(), sessions_, session);
  Requester requester;
  requester.uid = session->uid;
  requester.body_digest = claim->body_digest;
  requester.session = claim->name;
  requester.number = claim->number;
  return requester;
}

std::optional<std::string> ServerSessions::sign_answer(const Requester& requester, int status,
                                                       std::string_view body) const {
  const auto session = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&](const Session& each) { return each.key.name() == requester.session; });
  if (session == sessions_.end()) return std::nullopt;
  return session->key.mac_of_answer(requester.number, status, body);
}

}  // namespace dfrs::shim
