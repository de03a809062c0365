// SPDX-License-Identifier: GPL-2.0-or-later
// A text that was read or unpacked whole. A string of known length is cleared before it can be written, which for a
// long log is one more pass over memory; this is not.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dfrs::sim {

class Text {
 public:
  Text() = default;
  Text(std::string text) : string_(std::move(text)) {}
  /// A text of `size` characters, which are the caller's to write.
  static Text unwritten(std::size_t size) {
    Text text;
    text.characters_ = std::make_unique_for_overwrite<char[]>(size);
    text.size_ = size;
    return text;
  }

  /// The characters of an unwritten one.
  char* data() { return characters_.get(); }

  operator std::string_view() const { return characters_ ? std::string_view(characters_.get(), size_) : string_; }

  friend bool operator==(const Text& text, std::string_view other) { return std::string_view(text) == other; }

 private:
  std::string string_;
  std::unique_ptr<char[]> characters_;  // the text, if there are any; else string_ is
  std::size_t size_ = 0;
};

}  // namespace dfrs::sim
