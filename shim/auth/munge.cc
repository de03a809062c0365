// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/munge.h"

#include <fmt/format.h>
#include <munge.h>
#include <stdlib.h>
#include <unistd.h>

#include <limits>
#include <memory>

namespace dfrs::shim {
namespace {

struct DestroyContext {
  void operator()(munge_ctx_t context) const { munge_ctx_destroy(context); }
};
// One context per call: threads must not share one, and it costs one allocation.
using Context = std::unique_ptr<munge_ctx, DestroyContext>;

tl::expected<Context, AuthError> make_context(const std::string& socket) {
  Context context(munge_ctx_create());
  if (!context) return tl::unexpected(AuthError{Refusal::unavailable, "out of memory for a MUNGE context"});
  if (!socket.empty() && munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket.c_str()) != EMUNGE_SUCCESS) {
    return tl::unexpected(AuthError{Refusal::unavailable, fmt::format("MUNGE does not accept the socket '{}': {}",
                                                                      socket, munge_ctx_strerror(context.get()))});
  }
  return context;
}

std::string context_words(munge_ctx_t context, munge_err_t error) {
  const char* const words = munge_ctx_strerror(context);
  return words != nullptr ? words : munge_strerror(error);
}

// Whether the credential that was decoded is encrypted, and for this process's user alone. One of before our start is
// not taken for a secret: an earlier version of this program, whose answers told what was in them, may have read it.
bool only_for_us(munge_ctx_t context, std::time_t begun) {
  uid_t reader = 0;
  int cipher = MUNGE_CIPHER_NONE;
  std::time_t made = 0;
  return munge_ctx_get(context, MUNGE_OPT_ENCODE_TIME, &made) == EMUNGE_SUCCESS && made >= begun &&
         munge_ctx_get(context, MUNGE_OPT_UID_RESTRICTION, &reader) == EMUNGE_SUCCESS && reader == geteuid() &&
         munge_ctx_get(context, MUNGE_OPT_CIPHER_TYPE, &cipher) == EMUNGE_SUCCESS && cipher != MUNGE_CIPHER_NONE;
}

AuthError unavailable(const std::string& socket, const std::string& words) {
  return {Refusal::unavailable, fmt::format("cannot ask munged at {}: {}; is the munge service running?",
                                            socket.empty() ? "its default socket" : socket, words)};
}

AuthError decode_error(munge_err_t error, const std::string& socket, const std::string& words) {
  switch (error) {
    case EMUNGE_BAD_CRED:
    case EMUNGE_BAD_VERSION:
    case EMUNGE_BAD_CIPHER:
    case EMUNGE_BAD_MAC:
    case EMUNGE_BAD_ZIP:
    case EMUNGE_BAD_REALM:
    case EMUNGE_BAD_LENGTH:
    case EMUNGE_BAD_ARG:
      return {Refusal::malformed, fmt::format("not a MUNGE credential: {}", words)};
    case EMUNGE_CRED_INVALID:
      return {Refusal::wrong_key,
              "the credential was made with another MUNGE key or changed in transit; the key file (munge.key) must be "
              "the same on all hosts of the cluster"};
    case EMUNGE_CRED_EXPIRED:
      return {Refusal::expired, "the credential has expired; check that the hosts' clocks agree to a few minutes"};
    case EMUNGE_CRED_REWOUND:
      return {Refusal::rewound,
              "the credential is from the future; check that the hosts' clocks agree to a few minutes"};
    case EMUNGE_CRED_REPLAYED:
      return {Refusal::replayed, "the credential has been used before (a replayed request)"};
    case EMUNGE_CRED_UNAUTHORIZED:
      return {Refusal::unauthorised, "the credential may not be read by this user"};
    default:
      return unavailable(socket, words);
  }
}

}  // namespace

tl::expected<std::string, AuthError> Munge::encode(std::string_view payload) const {
  return encode(payload, static_cast<uid_t>(MUNGE_UID_ANY));
}

tl::expected<std::string, AuthError> Munge::encode_for(uid_t reader, std::string_view payload) const {
  return encode(payload, reader);
}

tl::expected<std::string, AuthError> Munge::encode(std::string_view payload, uid_t reader) const {
  if (payload.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return tl::unexpected(AuthError{Refusal::malformed, "too long for a MUNGE credential"});
  auto context = make_context(socket_);
  if (!context) return tl::unexpected(context.error());
  if (munge_ctx_set(context->get(), MUNGE_OPT_UID_RESTRICTION, reader) != EMUNGE_SUCCESS)
    return tl::unexpected(unavailable(socket_, context_words(context->get(), EMUNGE_BAD_ARG)));
  char* credential = nullptr;
  const munge_err_t error = munge_encode(&credential, context->get(), payload.data(), static_cast<int>(payload.size()));
  const std::unique_ptr<char, decltype(&free)> owned(credential, free);
  if (error != EMUNGE_SUCCESS || credential == nullptr)
    return tl::unexpected(unavailable(socket_, context_words(context->get(), error)));
  return std::string(credential);
}

tl::expected<Munge::Decoded, AuthError> Munge::decode(const std::string& credential) const {
  auto context = make_context(socket_);
  if (!context) return tl::unexpected(context.error());
  void* payload = nullptr;
  int length = 0;
  gid_t gid = 0;
  Decoded decoded;
  const munge_err_t error = munge_decode(credential.c_str(), context->get(), &payload, &length, &decoded.uid, &gid);
  // Also set if the credential is genuine but expired or replayed.
  const std::unique_ptr<void, decltype(&free)> owned(payload, free);
  if (error != EMUNGE_SUCCESS)
    return tl::unexpected(decode_error(error, socket_, context_words(context->get(), error)));
  if (payload != nullptr && length > 0)
    decoded.payload.assign(static_cast<const char*>(payload), static_cast<std::size_t>(length));
  decoded.secret = only_for_us(context->get(), begun_);
  return decoded;
}

}  // namespace dfrs::shim
