// SPDX-License-Identifier: GPL-2.0-or-later
// Splits a text into lines and a line into fields, without copying.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace dfrs::sim {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// `text` without leading and trailing spaces, tabs and carriage returns.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class LineSplitter {
 public:
  explicit LineSplitter(std::string_view text) : rest_(text) {}
  /// The next line without its newline; false at the end. A last line may lack the newline.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const void* const newline = std::memchr(rest_.data(), '\n', rest_.size());
    const std::size_t length =
        newline == nullptr ? rest_.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - rest_.data());
    line = rest_.substr(0, length);
    rest_.remove_prefix(newline == nullptr ? length : length + 1);
    ++number_;
    return true;
  }
  /// Number of the last line that next() returned, from 1.
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Number of lines that LineSplitter finds.
inline std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  LineSplitter splitter(text);
  for (std::string_view line; splitter.next(line);) ++lines;
  return lines;
}

class FieldSplitter {
 public:
  explicit FieldSplitter(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}
  /// The next run of non-blank characters; false at the end.
  bool next(std::string_view& word) {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    if (at_ == end_) return false;
    const char* const begin = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    word = std::string_view(begin, static_cast<std::size_t>(at_ - begin));
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

/// Calls each(item) for every item of a list separated by commas. An empty list has one empty item.
template <typename Each>
void each_item(std::string_view list, Each&& each) {
  for (;;) {
    const std::string_view item = list.substr(0, list.find(','));
    each(item);
    if (item.size() == list.size()) return;
    list.remove_prefix(item.size() + 1);
  }
}

/// `word` for an error message: at most 40 characters, with '?' for anything but printable ASCII.
std::string printable_word(std::string_view word);

}  // namespace dfrs::sim
