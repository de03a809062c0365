// SPDX-License-Identifier: GPL-2.0-or-later
// A text read or unpacked as a whole. std::string zeroes its characters before they can be written, which costs a pass
// over memory for a long log; this class does not.
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
  /// A text of `size` uninitialised characters for the caller to write.
  static Text unwritten(std::size_t size) {
    Text text;
    text.characters_ = std::make_unique_for_overwrite<char[]>(size);
    text.size_ = size;
    return text;
  }

  /// The characters of an unwritten text, to be written.
  char* data() { return characters_.get(); }

  operator std::string_view() const { return characters_ ? std::string_view(characters_.get(), size_) : string_; }

  friend bool operator==(const Text& text, std::string_view other) { return std::string_view(text) == other; }

 private:
  std::string string_;
  std::unique_ptr<char[]> characters_;  // the text if set; otherwise string_ is
  std::size_t size_ = 0;
};

}  // namespace dfrs::sim
