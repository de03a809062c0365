// SPDX-License-Identifier: GPL-2.0-or-later
// What another user gets, for tests that run as root.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>

#include "shim/auth/authenticator.h"

namespace dfrs::shim {

inline constexpr uid_t kNobody = 65534;

/// The credential of this request, made by that user in a process of its own.
inline std::string credential_of_nobody(const Authenticator& us, const RequestWords& words,
                                        std::optional<uid_t> reader = std::nullopt) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) _exit(1);
    const auto request = us.sign_request(words, reader);
    if (!request) _exit(2);
    const ssize_t written = ::write(ends[1], request->credential.data(), request->credential.size());
    _exit(written > 0 ? 0 : 3);
  }
  ::close(ends[1]);
  char buffer[4096];
  const ssize_t size = ::read(ends[0], buffer, sizeof buffer);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return std::string(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
}

}  // namespace dfrs::shim
