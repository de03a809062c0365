// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/key_values.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"

namespace dfrs::shim {
namespace {

// A word as messages quote it: cut to 60 bytes, without control characters.
std::string shown(std::string_view word) {
  std::string text;
  for (const char c : word.substr(0, 60)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (word.size() > 60) text += "...";
  return text;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  KeyValues run() {
    bool first = true;
    for (;;) {
      skip_blanks();
      if (at_end()) break;
      if (text_[at_] == '\n') {
        ++at_;
        ++line_;
        first = true;
      } else if (text_[at_] == '#') {
        skip_line();
      } else {
        pair(first);
        first = false;
      }
    }
    return std::move(found_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  // Length of a backslash and the line end after it; 0 if there is none here.
  std::size_t continuation() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("\\\n")) return 2;
    if (rest.starts_with("\\\r\n")) return 3;
    return 0;
  }

  void skip_blanks() {
    while (!at_end()) {
      if (const std::size_t length = continuation(); length != 0) {
        at_ += length;
        ++line_;
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool ends_word() const {
    return at_end() || std::string_view(" \t\r\n#").find(text_[at_]) != std::string_view::npos || continuation() != 0;
  }

  std::string_view word(bool stop_at_equals) {
    const std::size_t begin = at_;
    while (!ends_word() && !(stop_at_equals && text_[at_] == '=')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void error(std::string message) {
    found_.errors.push_back({line_, std::move(message)});
    skip_line();
  }

  void pair(bool first) {
    const std::size_t line = line_;
    const std::string_view key = word(true);
    skip_blanks();
    if (at_end() || text_[at_] != '=') {
      return error(fmt::format("expected Key=Value, found '{}' without '='", shown(key)));
    }
    ++at_;
    if (key.empty()) return error("expected Key=Value, found '=' without a key");
    skip_blanks();
    std::string_view value;
    if (!at_end() && text_[at_] == '"') {
      const std::size_t begin = ++at_;
      while (!at_end() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
      if (at_end() || text_[at_] == '\n') {
        return error(fmt::format("the value of {} begins with '\"' and does not end with one", shown(key)));
      }
      value = text_.substr(begin, at_ - begin);
      ++at_;
      if (!ends_word())
        return error(fmt::format("expected a blank after the '\"' that ends the value of {}", shown(key)));
    } else {
      value = word(false);
    }
    for (const std::string_view part : {key, value}) {
      for (const char c : part) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          return error(fmt::format("a control character (code {}) in '{}'", static_cast<int>(c), shown(part)));
        }
      }
    }
    if (value.find('"') != std::string_view::npos) {
      return error(fmt::format("'\"' inside the value of {}: a value cannot hold one", shown(key)));
    }
    found_.pairs.push_back({std::string(key), std::string(value), line, first});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  KeyValues found_;
};

}  // namespace

KeyValues parse_key_values(std::string_view text) { return Scanner(text).run(); }

tl::expected<std::string, std::string> read_conf_text(const std::string& path, std::size_t max_bytes) {
  const auto fail = [](std::string message) { return tl::unexpected<std::string>(std::move(message)); };
  // Non-blocking: slurmctld must not wait for a pipe without a writer.
  const base::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return fail("is not a regular file");
  auto text = base::read_all(fd.get(), max_bytes);
  if (!text && text.error() == EFBIG) {
    return fail(fmt::format("is larger than {} bytes: not a configuration file", max_bytes));
  }
  if (!text) return fail(fmt::format("cannot be read: {}", std::strerror(text.error())));
  return std::move(*text);
}

tl::expected<KeyValues, std::string> read_key_values(const std::string& path, std::size_t max_bytes) {
  return read_conf_text(path, max_bytes).map(parse_key_values);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace dfrs::shim
