// SPDX-License-Identifier: GPL-2.0-or-later
// What dfrs-run and the keeper of its program say to each other over a UNIX socket.
//
// dfrs-run sends one request, with its standard input, output and error and its working directory as descriptors; then
// a byte for each signal that it gets: the signal's number. The keeper answers with lines, a letter and a text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/files.h"

namespace dfrs::shim {

enum class LaunchAnswer : char {
  message = 'M',   ///< text for standard error
  plain = 'P',     ///< run the program yourself; the text says why
  started = 'S',   ///< the program runs: the descriptors are no longer needed
  ended = 'E',     ///< with this exit code
  requeued = 'Q',  ///< the job is requeued: end by SIGTERM
};

struct LaunchRequest {
  std::vector<std::string> command;      ///< at least one word
  std::vector<std::string> environment;  ///< "NAME=VALUE"

  /// The value of a variable of the environment.
  std::optional<std::string_view> setting(std::string_view name) const;
};

inline constexpr std::size_t kStreams = 3;
struct LaunchParts {
  LaunchRequest request;
  std::array<base::Fd, kStreams> streams;
  base::Fd folder;  ///< working directory
};

/// Errors are one line.
tl::expected<void, std::string> send_request(int socket, const LaunchRequest& request, int folder);
/// Any bytes are safe.
tl::expected<LaunchParts, std::string> receive_request(int socket);
/// False: the other side is gone.
bool send_answer(int socket, LaunchAnswer answer, std::string_view text = {});

/// The path of the socket in the agent's folder.
inline constexpr const char* kLaunchSocket = "launch.sock";

}  // namespace dfrs::shim
