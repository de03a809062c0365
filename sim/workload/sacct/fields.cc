// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/fields.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "sim/workload/number_parser.h"

namespace dfrs::sim {
namespace {

constexpr double kSecondsPerDay = 86400;

// Takes `length` digits off the front of `text`; nothing if there are fewer.
std::optional<int> digits(std::string_view& text, std::size_t length) {
  if (text.size() < length) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, length)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(length);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// All of `text` as a whole number from 0 to `most`.
std::optional<std::int64_t> whole(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  if (text.empty() || text.front() == '-' || parse_integer(text, value) != NumberStatus::kOk || value > most) {
    return std::nullopt;
  }
  return value;
}

// Takes ".mmm" off the front of `text`; 0 if there is none.
std::optional<double> fraction(std::string_view& text) {
  if (!take(text, '.')) return 0.0;
  double value = 0;
  double unit = 0.1;
  std::size_t count = 0;
  for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count, unit /= 10) {
    value += (text[count] - '0') * unit;
  }
  if (count == 0 || count > 9) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

}  // namespace

bool says_unknown(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A" || text == "INVALID";
}

std::optional<Seconds> parse_duration(std::string_view text) {
  double days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto value = whole(text.substr(0, dash), 1'000'000);
    if (!value) return std::nullopt;
    days = static_cast<double>(*value);
    text.remove_prefix(dash + 1);
  }
  std::array<double, 3> parts{};
  std::size_t count = 0;
  double rest = 0;
  for (;; ++count) {
    if (count == parts.size()) return std::nullopt;
    std::size_t length = 0;
    while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
    const auto value = whole(text.substr(0, length), 1'000'000'000);
    if (!value) return std::nullopt;
    parts[count] = static_cast<double>(*value);
    text.remove_prefix(length);
    if (take(text, ':')) continue;
    const auto part = fraction(text);
    if (!part || !text.empty()) return std::nullopt;
    rest = *part;
    ++count;
    break;
  }
  if (count < 2) return std::nullopt;
  // The first number may be large ("100:00" is 100 minutes); the others are below 60.
  for (std::size_t k = 1; k < count; ++k) {
    if (parts[k] >= 60) return std::nullopt;
  }
  const double seconds =
      (count == 3 ? (parts[0] * 60 + parts[1]) * 60 + parts[2] : parts[0] * 60 + parts[1]) + days * kSecondsPerDay;
  return seconds + rest <= kMaxTraceSeconds ? std::optional<Seconds>(seconds + rest) : std::nullopt;
}

std::optional<Seconds> parse_instant(std::string_view text) {
  if (const auto seconds = whole(text, static_cast<std::int64_t>(kMaxTraceSeconds))) {
    // So few digits are a mistyped date ("2026", "20261121"), not a time in 1970.
    return *seconds >= 100'000'000 ? std::optional<Seconds>(static_cast<Seconds>(*seconds)) : std::nullopt;
  }
  const auto year = digits(text, 4);
  if (!year || *year < 1970 || !take(text, '-')) return std::nullopt;
  const auto month = digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = digits(text, 2);
  if (!day || (!take(text, 'T') && !take(text, ' '))) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto hour = digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = digits(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return std::nullopt;
  const auto second = digits(text, 2);
  if (!second || *second > 60) return std::nullopt;
  const auto part = fraction(text);
  if (!part) return std::nullopt;
  double offset = 0;
  if (!take(text, 'Z') && !text.empty()) {
    const bool east = take(text, '+');
    if (!east && !take(text, '-')) return std::nullopt;
    const auto hours = digits(text, 2);
    if (!hours || *hours > 14) return std::nullopt;
    take(text, ':');
    const auto minutes = digits(text, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    offset = (east ? 1 : -1) * (*hours * 3600.0 + *minutes * 60.0);
  }
  if (!text.empty()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  const double instant = days * kSecondsPerDay + *hour * 3600.0 + *minute * 60.0 + *second + *part - offset;
  return instant >= 0 && instant <= kMaxTraceSeconds ? std::optional<Seconds>(instant) : std::nullopt;
}

std::string format_instant(Seconds since_1970) {
  const auto seconds = static_cast<std::int64_t>(since_1970);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(seconds / 86400))};
  const std::int64_t time = seconds % 86400;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time / 3600,
                     time / 60 % 60, time % 60);
}

std::optional<double> parse_memory(std::string_view text, double plain_mib) {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kUnits = "KMGTPE";
  double factor = plain_mib;
  const char last = text.back() >= 'a' && text.back() <= 'z' ? static_cast<char>(text.back() - 'a' + 'A') : text.back();
  if (const std::size_t unit = kUnits.find(last); unit != std::string_view::npos) {
    factor = std::pow(1024.0, static_cast<double>(unit) - 1);
    text.remove_suffix(1);
  }
  double value = 0;
  if (text.empty() || text.front() == '-' || parse_number(text, value) != NumberStatus::kOk) return std::nullopt;
  const double mib = value * factor;
  return mib <= static_cast<double>(kMaxTraceRigid) ? std::optional<double>(mib) : std::nullopt;
}

std::optional<RequestedMemory> parse_requested_memory(std::string_view text) {
  RequestedMemory memory;
  if (!text.empty() && (text.back() == 'c' || text.back() == 'n')) {
    memory.per = text.back() == 'c' ? MemoryPer::kCpu : MemoryPer::kNode;
    text.remove_suffix(1);
  }
  const auto mib = parse_memory(text, 1);
  if (!mib) return std::nullopt;
  memory.mib = *mib;
  return memory;
}

std::optional<std::string_view> tres_item(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    if (item.size() > name.size() && item.substr(0, name.size()) == name && item[name.size()] == '=') {
      return item.substr(name.size() + 1);
    }
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return std::nullopt;
}

namespace {

// Expands one item of a host list, which may have several groups in brackets ("r[1-2]n[01-36]").
class HostItem {
 public:
  HostItem(std::size_t& left, const std::function<void(const std::string&)>& each) : left_(left), each_(each) {}

  bool expand(const std::string& prefix, std::string_view rest) {
    const std::size_t open = rest.find('[');
    if (rest.substr(0, open).find(']') != std::string_view::npos) return false;
    if (open == std::string_view::npos) {
      const std::string name = prefix + std::string(rest);
      if (name.empty() || left_ == 0) return false;
      --left_;
      each_(name);
      return true;
    }
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) return false;
    const std::string start = prefix + std::string(rest.substr(0, open));
    std::string_view ranges = rest.substr(open + 1, close - open - 1);
    const std::string_view after = rest.substr(close + 1);
    for (;;) {
      const std::string_view range = ranges.substr(0, ranges.find(','));
      const std::size_t dash = range.find('-');
      const std::string_view low = range.substr(0, dash);
      const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
      const auto from = whole(low, 1'000'000'000);
      const auto to = whole(high, 1'000'000'000);
      if (!from || !to || *to < *from) return false;
      for (std::int64_t k = *from; k <= *to; ++k) {
        if (!expand(fmt::format("{}{:0{}}", start, k, low.size()), after)) return false;
      }
      if (range.size() == ranges.size()) return true;
      ranges.remove_prefix(range.size() + 1);
    }
  }

 private:
  std::size_t& left_;
  const std::function<void(const std::string&)>& each_;
};

}  // namespace

bool each_host(std::string_view text, const std::function<void(const std::string&)>& each) {
  std::size_t left = kMostSlurmNodes;
  HostItem item(left, each);
  while (!text.empty()) {
    // Up to the next comma outside brackets.
    std::size_t end = 0;
    bool inside = false;
    for (; end < text.size() && (inside || text[end] != ','); ++end) {
      if (text[end] == '[') inside = true;
      if (text[end] == ']') inside = false;
    }
    if (!item.expand("", text.substr(0, end))) return false;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return true;
}

}  // namespace dfrs::sim
