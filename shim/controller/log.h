// SPDX-License-Identifier: GPL-2.0-or-later
// The log of the host. Any thread may write to it.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

namespace dfrs::shim {

class Log {
 public:
  using Sink = std::function<void(int level, const char* message)>;  // levels as in controller.h
  Log() = default;
  explicit Log(Sink sink) : sink_(std::move(sink)) {}

  template <typename... A>
  void error(fmt::format_string<A...> format, A&&... args) const {
    write(1, fmt::format(format, std::forward<A>(args)...));
  }
  template <typename... A>
  void warn(fmt::format_string<A...> format, A&&... args) const {
    write(2, fmt::format(format, std::forward<A>(args)...));
  }
  template <typename... A>
  void verbose(fmt::format_string<A...> format, A&&... args) const {
    write(3, fmt::format(format, std::forward<A>(args)...));
  }

  void write(int level, const std::string& message) const {
    if (sink_) sink_(level, message.c_str());
  }

 private:
  Sink sink_;
};

}  // namespace dfrs::shim
