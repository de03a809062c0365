// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/workload/text_lines.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kColumns = static_cast<std::size_t>(SacctColumn::kCount);
constexpr std::array<std::string_view, kColumns> kNames{
    "JobID",    "JobIDRaw",  "User",      "Group",      "Partition", "QOS",          "State",     "Submit",
    "Start",    "End",       "Elapsed",   "ElapsedRaw", "Timelimit", "TimelimitRaw", "NNodes",    "AllocNodes",
    "NTasks",   "AllocCPUS", "NCPUS",     "ReqCPUS",    "ReqMem",    "ReqTRES",      "AllocTRES", "MaxRSS",
    "TotalCPU", "UserCPU",   "SystemCPU", "NodeList",   "Comment",   "Line"};
// Columns of free text, which may contain the delimiter.
constexpr std::array<std::string_view, 8> kFreeText{"JobName",    "Comment", "AdminComment", "SystemComment",
                                                    "SubmitLine", "WorkDir", "WCKey",        "Extra"};

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// The line without a byte order mark and a carriage return. Keeps trailing blanks, because tabs may be delimiters.
std::string_view without_mark(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (line.starts_with(kUtf8Mark)) line.remove_prefix(kUtf8Mark.size());
  return line;
}

}  // namespace

std::string_view SacctHeader::name(SacctColumn column) { return kNames[static_cast<std::size_t>(column)]; }

std::optional<SacctHeader> SacctHeader::recognise(std::string_view line) {
  line = without_mark(line);
  for (const char delimiter : {'|', '\t', ';'}) {
    if (line.find(delimiter) == std::string_view::npos) continue;
    SacctHeader header;
    header.line_ = std::string(line);
    header.delimiter_ = delimiter;
    header.place_.fill(kNowhere);
    std::string_view rest = line;
    if (rest.ends_with(delimiter)) rest.remove_suffix(1);  // --parsable
    std::size_t known = 0;
    std::size_t free_text = 0;
    for (bool more = true; more;) {
      const std::size_t end = rest.find(delimiter);
      more = end != std::string_view::npos;
      const std::string_view name = trimmed(rest.substr(0, end));
      rest.remove_prefix(more ? end + 1 : rest.size());
      const auto at = std::find_if(kNames.begin(), kNames.end(), [&](auto n) { return same_name(n, name); });
      if (at != kNames.end()) {
        std::size_t& place = header.place_[static_cast<std::size_t>(at - kNames.begin())];
        if (place == kNowhere) place = header.names_.size();  // the first of a column given twice
        ++known;
      }
      if (std::any_of(kFreeText.begin(), kFreeText.end(), [&](auto n) { return same_name(n, name); })) {
        header.free_text_ = header.names_.size();
        ++free_text;
      }
      header.names_.emplace_back(name);
    }
    if (free_text != 1) header.free_text_ = kNowhere;
    if (known >= 2 && (header.has(SacctColumn::kJobId) || header.has(SacctColumn::kJobIdRaw))) return header;
  }
  return std::nullopt;
}

bool SacctHeader::repeated_by(std::string_view line) const { return without_mark(line) == line_; }

tl::expected<void, std::string> SacctHeader::split(std::string_view line, std::vector<std::string_view>& cells) const {
  cells.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string_view rest = line;
  for (bool more = true; more;) {
    const std::size_t end = rest.find(delimiter_);
    more = end != std::string_view::npos;
    cells.push_back(rest.substr(0, end));
    rest.remove_prefix(more ? end + 1 : rest.size());
  }
  // --parsable ends every line with a delimiter.
  if (line_.ends_with(delimiter_) && cells.size() > names_.size() && cells.back().empty()) cells.pop_back();
  if (cells.size() > names_.size() && free_text_ != kNowhere) {
    const std::size_t surplus = cells.size() - names_.size();
    const std::string_view first = cells[free_text_];
    const std::string_view last = cells[free_text_ + surplus];
    cells[free_text_] = {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(free_text_) + 1,
                cells.begin() + static_cast<std::ptrdiff_t>(free_text_ + surplus) + 1);
  }
  if (cells.size() != names_.size()) {
    return tl::unexpected(fmt::format("{} column{}, but the header line names {}", cells.size(),
                                      cells.size() == 1 ? "" : "s", names_.size()));
  }
  for (std::string_view& cell : cells) cell = trimmed(cell);
  return {};
}

bool is_sacct_text(std::string_view text) {
  LineSplitter lines(text);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(without_mark(line)).empty()) continue;
    return SacctHeader::recognise(line).has_value();
  }
  return false;
}

}  // namespace dfrs::sim
