// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/refusal.h"

namespace dfrs::shim {

const char* reason_name(Refusal reason) {
  switch (reason) {
    case Refusal::no_credential:
      return "no_credential";
    case Refusal::malformed:
      return "malformed";
    case Refusal::wrong_key:
      return "wrong_key";
    case Refusal::expired:
      return "expired";
    case Refusal::rewound:
      return "rewound";
    case Refusal::replayed:
      return "replayed";
    case Refusal::unknown_session:
      return "unknown_session";
    case Refusal::unauthorised:
      return "unauthorised";
    case Refusal::other_message:
      return "other_message";
    case Refusal::unavailable:
      return "unavailable";
  }
  return "unknown";
}

}  // namespace dfrs::shim
