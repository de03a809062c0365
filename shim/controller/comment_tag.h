// SPDX-License-Identifier: GPL-2.0-or-later
// The tag at the end of a job's comment, for `squeue -O comment`: "the user's words [dfrs yield=0.25 vt=1234s]".
// Any text is safe; all functions are linear in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "policy/core/units.h"

namespace dfrs::shim {

/// The content of a tag.
struct CommentTag {
  bool paused = false;
  double yield = 0;          ///< 0 .. 1, printed with two significant digits, four decimals at most; unless paused
  Seconds virtual_time = 0;  ///< whole seconds, >= 0

  friend bool operator==(const CommentTag&, const CommentTag&) = default;
};

/// "[dfrs yield=0.25 vt=1234s]" or "[dfrs paused vt=1234s]".
std::string format_tag(const CommentTag& tag);

/// The user's part of a comment: all but a well-formed tag at its end and the blank before it.
std::string_view user_comment(std::string_view comment);

/// The tag at the end of a comment, if there is a well-formed one.
std::optional<CommentTag> find_tag(std::string_view comment);

/// The user's part of `comment` with this tag.
std::string with_tag(std::string_view comment, const CommentTag& tag);

/// A comment and what it says, which is found when it changes.
class TaggedComment {
 public:
  /// No search where it is the same text.
  TaggedComment& operator=(std::string_view text);
  const std::string& text() const { return text_; }
  /// user_comment() and find_tag() of it.
  std::string_view words() const { return std::string_view(text_).substr(0, words_); }
  const std::optional<CommentTag>& tag() const { return tag_; }

 private:
  std::string text_;
  std::size_t words_ = 0;  // length
  std::optional<CommentTag> tag_;
};

/// Whether `text`, split at blanks, tabs, commas and semicolons, contains `word`.
bool has_word(std::string_view text, std::string_view word);

}  // namespace dfrs::shim
