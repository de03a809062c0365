// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/file_name.h"

#include <fmt/format.h>

#include <filesystem>

namespace dfrs::sim {
namespace {

constexpr std::size_t kLongest = 200;  // leaves room for an ending and the suffix of a temporary file

}  // namespace

std::string file_name_of(std::string_view name) {
  std::string out(name.substr(0, kLongest));
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || byte < 0x20 || byte == 0x7f) c = '_';
  }
  if (out.empty()) return "_";
  if (out.front() == '.') out.front() = '_';
  return out;
}

Result<std::string> FolderOutput::path(const std::string& name, std::string_view ending) {
  const std::string file = file_name_of(name) + std::string(ending);
  const auto [at, fresh] = names_.emplace(file, name);
  if (!fresh) {
    return input_error(fmt::format(
        "{}: '{}' and '{}' would both be written to this file; rename one of the logs, or the '; Name:' of a trace",
        (std::filesystem::path(folder_) / file).string(), at->second, name));
  }
  return (std::filesystem::path(folder_) / file).string();
}

}  // namespace dfrs::sim
