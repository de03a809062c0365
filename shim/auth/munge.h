// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials of the local munged. Any thread. Each call blocks for one exchange with munged; if munged does not
// answer, libmunge gives up after a few seconds.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// Why a message was refused. reason_name() has names for people and metrics.
enum class Refusal {
  no_credential,      ///< the message carries none
  malformed,          ///< not a MUNGE credential, or not one of dfrs
  wrong_key,          ///< made with another key, or changed in transit
  expired,            ///< older than its time to live, by this host's clock
  rewound,            ///< from the future, by more than its time to live
  replayed,           ///< seen before
  unauthorised,       ///< a genuine credential of a user without the right
  other_message,      ///< a genuine credential, but made for another request, receiver or body
  munge_unavailable,  ///< munged does not answer: nothing is known
};
inline constexpr int kRefusalCount = 9;

/// Lower-case words joined by underscores.
const char* reason_name(Refusal reason);

struct AuthError {
  Refusal reason = Refusal::malformed;
  std::string message;  ///< one line: what is wrong, and what to do
};

class Munge {
 public:
  /// `socket` empty: MUNGE's default.
  explicit Munge(std::string socket = {}) : socket_(std::move(socket)) {}

  struct Decoded {
    std::string payload;
    uid_t uid = 0;
  };

  /// A credential of this process's user that contains the payload (any bytes).
  tl::expected<std::string, AuthError> encode(std::string_view payload) const;
  /// Replays are errors (munged remembers what it has decoded).
  tl::expected<Decoded, AuthError> decode(const std::string& credential) const;

 private:
  std::string socket_;
};

}  // namespace dfrs::shim
