// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/csv_line.h"

#include <algorithm>

namespace dfrs::sim {
namespace {

// Adds fields to a vector without giving up the memory of its strings.
class Fields {
 public:
  explicit Fields(std::vector<std::string>& fields) : fields_(fields) {}
  std::string& add() {
    if (count_ == fields_.size()) fields_.emplace_back();
    fields_[count_].clear();
    return fields_[count_++];
  }
  void done() { fields_.resize(count_); }

 private:
  std::vector<std::string>& fields_;
  std::size_t count_ = 0;
};

// Takes what follows the opening quote of a field off `rest`, up to and with the closing one. False without one.
bool take_quoted(std::string_view& rest, std::string& field) {
  for (;;) {
    const std::size_t quote = rest.find('"');
    field += rest.substr(0, quote);
    if (quote == std::string_view::npos) {
      rest = {};
      return false;
    }
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return true;
    field += '"';
    rest.remove_prefix(1);
  }
}

}  // namespace

CsvRecords::CsvRecords(std::string_view text, char separator) : rest_(text), separator_(separator) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kUtf8Mark)) rest_.remove_prefix(kUtf8Mark.size());
}

CsvRecords::Next CsvRecords::next(std::vector<std::string>& fields) {
  while (rest_.starts_with('\n') || rest_.starts_with("\r\n")) {
    rest_.remove_prefix(rest_.front() == '\r' ? 2 : 1);
    ++next_line_;
  }
  line_ = next_line_;
  if (rest_.empty() || rest_ == "\r") return Next::kEnd;
  const std::string_view before = rest_;
  Fields out(fields);
  bool more = true;
  bool closed = true;
  while (more && closed) {
    std::string& field = out.add();
    if (rest_.starts_with('"')) {
      rest_.remove_prefix(1);
      closed = take_quoted(rest_, field);
    }
    const char ends[] = {separator_, '\n', '\0'};
    const std::size_t end = std::min(rest_.find_first_of(std::string_view(ends, 2)), rest_.size());
    field += rest_.substr(0, end);
    more = end < rest_.size() && rest_[end] == separator_;
    if (!more && closed && end > 0 && rest_[end - 1] == '\r') field.pop_back();
    rest_.remove_prefix(std::min(rest_.size(), end + 1));
  }
  out.done();
  const std::string_view record = before.substr(0, before.size() - rest_.size());
  next_line_ += static_cast<std::size_t>(std::count(record.begin(), record.end(), '\n'));
  return closed ? Next::kRecord : Next::kOpenQuote;
}

}  // namespace dfrs::sim
