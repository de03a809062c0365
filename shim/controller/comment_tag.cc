// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/comment_tag.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace dfrs::shim {
namespace {

constexpr std::string_view kOpen = "[dfrs ";

// Where a tag begins, or npos. A tag ends the comment and contains no other bracket.
std::size_t tag_begin(std::string_view comment) {
  if (!comment.ends_with(']')) return std::string_view::npos;
  const std::size_t open = comment.rfind('[');
  if (open == std::string_view::npos || !comment.substr(open).starts_with(kOpen)) return std::string_view::npos;
  if (open > 0 && comment[open - 1] != ' ') return std::string_view::npos;
  return open;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool separates(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';'; }

}  // namespace

std::string format_tag(const CommentTag& tag) {
  if (tag.paused) return fmt::format("[dfrs paused vt={:.0f}s]", tag.virtual_time);
  // Two significant digits: a yield of 0.0042 must not read "0.00".
  const int digits = tag.yield >= 0.1 ? 2 : tag.yield >= 0.01 ? 3 : 4;
  return fmt::format("[dfrs yield={:.{}f} vt={:.0f}s]", tag.yield, digits, tag.virtual_time);
}

std::optional<CommentTag> find_tag(std::string_view comment) {
  const std::size_t open = tag_begin(comment);
  if (open == std::string_view::npos) return std::nullopt;
  std::string_view rest = comment.substr(open + kOpen.size());
  CommentTag tag;
  if (take(rest, "paused ")) {
    tag.paused = true;
  } else {
    if (!take(rest, "yield=")) return std::nullopt;
    const auto yield = take_number(rest);
    if (!yield || *yield > 1 || !take(rest, " ")) return std::nullopt;
    tag.yield = *yield;
  }
  if (!take(rest, "vt=")) return std::nullopt;
  const auto time = take_number(rest);
  if (!time || rest != "s]") return std::nullopt;
  tag.virtual_time = *time;
  return tag;
}

std::string_view user_comment(std::string_view comment) {
  if (!find_tag(comment)) return comment;  // "[dfrs is slow]" is the user's
  const std::size_t open = tag_begin(comment);
  return comment.substr(0, open == 0 ? 0 : open - 1);
}

std::string with_tag(std::string_view comment, const CommentTag& tag) {
  const std::string_view words = user_comment(comment);
  return words.empty() ? format_tag(tag) : fmt::format("{} {}", words, format_tag(tag));
}

TaggedComment& TaggedComment::operator=(std::string_view text) {
  if (text_ == text) return *this;
  text_ = text;
  words_ = user_comment(text_).size();
  tag_ = find_tag(text_);
  return *this;
}

bool has_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || separates(text[at - 1])) && (end == text.size() || separates(text[end]))) return true;
  }
  return false;
}

}  // namespace dfrs::shim
