// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace dfrs::shim {

/// Why a message was refused. reason_name() has names for people and metrics.
enum class Refusal {
  no_credential,    ///< the message carries none
  malformed,        ///< not a credential, or not one of dfrs
  wrong_key,        ///< made with another key, or changed in transit
  expired,          ///< older than its time to live, by this host's clock
  rewound,          ///< from the future, by more than its time to live
  replayed,         ///< seen before
  unknown_session,  ///< of a session that has ended, or of another server: shim/auth/session.h
  unauthorised,     ///< a genuine credential of a user without the right
  other_message,    ///< a genuine credential, but made for another request, receiver or body
  unavailable,      ///< munged (auth/slurm: slurmd or sackd) does not answer: nothing is known
};
inline constexpr int kRefusalCount = 10;

/// Lower-case words joined by underscores.
const char* reason_name(Refusal reason);

struct AuthError {
  Refusal reason = Refusal::malformed;
  std::string message;  ///< one line: what is wrong, and what to do
};

}  // namespace dfrs::shim
