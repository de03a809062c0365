// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/files.h"

namespace dfrs::shim {
namespace {

// The number after "Key:" and blanks, in text such as /proc/PID/status and /proc/meminfo.
std::uint64_t kib_of(std::string_view text, std::string_view key) {
  std::size_t at = text.find(key);
  while (at != std::string_view::npos && at != 0 && text[at - 1] != '\n') at = text.find(key, at + 1);
  if (at == std::string_view::npos) return 0;
  at = text.find_first_not_of(" \t", at + key.size());
  if (at == std::string_view::npos) return 0;
  std::uint64_t value = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

}  // namespace

ProcessMemory process_memory(const std::string& proc, pid_t pid) {
  const auto status = base::read_file_at(AT_FDCWD, fmt::format("{}/{}/status", proc, pid));
  if (!status) return {};
  return {kib_of(*status, "VmRSS:"), kib_of(*status, "VmSwap:")};
}

double process_cpu_seconds(const std::string& proc, pid_t pid) {
  const auto tasks = base::open_folder(AT_FDCWD, fmt::format("{}/{}/task", proc, pid));
  if (!tasks) return 0;
  const auto threads = base::list_folder(tasks->get());
  if (!threads) return 0;
  double seconds = 0;
  for (const std::string& thread : *threads) {
    const auto text = base::read_file_at(tasks->get(), thread + "/schedstat");
    if (!text) continue;
    std::uint64_t ns = 0;
    std::from_chars(text->data(), text->data() + text->size(), ns);
    seconds += static_cast<double>(ns) * 1e-9;
  }
  return seconds;
}

char process_state(const std::string& proc, pid_t pid) {
  const auto stat = base::read_file_at(AT_FDCWD, fmt::format("{}/{}/stat", proc, pid));
  if (!stat) return '\0';
  // "pid (name) S ...": the name may contain anything, even ')'.
  const std::size_t name_end = stat->rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat->size() ? (*stat)[name_end + 2] : '\0';
}

bool process_stopped(const std::string& proc, pid_t pid) {
  const char state = process_state(proc, pid);
  return state == 'T' || state == 't';
}

SwapSpace swap_space(const std::string& proc) {
  const auto text = base::read_file_at(AT_FDCWD, proc + "/meminfo");
  if (!text) return {};
  return {kib_of(*text, "SwapTotal:"), kib_of(*text, "SwapFree:")};
}

std::vector<MemoryRange> private_ranges(std::string_view maps) {
  std::vector<MemoryRange> ranges;
  while (!maps.empty()) {
    const std::size_t line_end = std::min(maps.find('\n'), maps.size());
    const std::string_view line = maps.substr(0, line_end);
    maps.remove_prefix(std::min(line_end + 1, maps.size()));
    // begin-end perms offset device inode path
    MemoryRange range;
    const char* const last = line.data() + line.size();
    const auto begin = std::from_chars(line.data(), last, range.begin, 16);
    if (begin.ec != std::errc() || begin.ptr == last || *begin.ptr != '-') continue;
    const auto end = std::from_chars(begin.ptr + 1, last, range.end, 16);
    if (end.ec != std::errc() || last - end.ptr < 5 || *end.ptr != ' ') continue;
    if (end.ptr[4] != 'p' || range.end <= range.begin) continue;
    if (line.find("[v") != std::string_view::npos) continue;  // [vdso], [vvar], [vsyscall]
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace dfrs::shim
