// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials of the local munged. All calls may come from any thread; each blocks for one exchange with munged, some
// tenths of a millisecond (a munged that does not answer: up to a few seconds, libmunge's own limits).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// Why something was not believed. Names for people and metrics: reason_name().
enum class Refusal {
  no_credential,      ///< the message carries none
  malformed,          ///< not a MUNGE credential, or not one of ours
  wrong_key,          ///< made with another key, or changed on its way
  expired,            ///< older than its time to live, by this host's clock
  rewound,            ///< from the future, by more than its time to live
  replayed,           ///< seen before
  unauthorised,       ///< a genuine credential of a user who may not
  other_message,      ///< a genuine credential, but made for another request, receiver or body
  munge_unavailable,  ///< munged cannot be asked: nothing is known
};
inline constexpr int kRefusalCount = 9;

/// Lower-case words joined by underscores.
const char* reason_name(Refusal reason);

struct AuthError {
  Refusal reason = Refusal::malformed;
  std::string message;  ///< one line: what, and what to do
};

class Munge {
 public:
  /// Empty: MUNGE's default socket.
  explicit Munge(std::string socket = {}) : socket_(std::move(socket)) {}

  struct Decoded {
    std::string payload;
    uid_t uid = 0;
  };

  /// A credential of this process's user around the payload (any bytes). Error: munge_unavailable.
  tl::expected<std::string, AuthError> encode(std::string_view payload) const;
  /// Replays are errors (munged remembers what it has decoded).
  tl::expected<Decoded, AuthError> decode(const std::string& credential) const;

 private:
  std::string socket_;
};

}  // namespace dfrs::shim
