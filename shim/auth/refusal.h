// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace dfrs::shim {

/// Why something was not believed. Names for people and metrics: reason_name().
enum class Refusal {
  no_credential,  ///< the message carries none
  malformed,      ///< not a credential, or not one of ours
  wrong_key,      ///< made with another key, or changed on its way
  expired,        ///< older than its time to live, by this host's clock
  rewound,        ///< from the future, by more than its time to live
  replayed,       ///< seen before
  unauthorised,   ///< a genuine credential of a user who may not
  other_message,  ///< a genuine credential, but made for another request, receiver or body
  unavailable,    ///< munged, or Slurm's socket, cannot be asked: nothing is known
};
inline constexpr int kRefusalCount = 9;

/// Lower-case words joined by underscores.
const char* reason_name(Refusal reason);

struct AuthError {
  Refusal reason = Refusal::malformed;
  std::string message;  ///< one line: what, and what to do
};

}  // namespace dfrs::shim
