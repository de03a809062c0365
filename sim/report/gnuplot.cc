// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/gnuplot.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>

#include "base/process.h"
#include "base/utf8.h"

namespace dfrs::sim {
namespace {

constexpr std::chrono::seconds kPatience{60};
// The first meaningful line of gnuplot's messages. gnuplot first marks the place with a line of only '^'.
std::string first_message(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t^");
    if (begin != std::string::npos) return base::printable(line.substr(begin));
  }
  return "no message";
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty() || folder.front() != '/') continue;
    const std::string candidate = folder + '/' + name;
    struct stat info{};
    if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

tl::expected<std::string, std::string> run_gnuplot(const std::string& script, const std::string& program) {
  const std::string found = program.empty() ? find_program("gnuplot") : program;
  if (found.empty()) return tl::make_unexpected("gnuplot was not found in the folders of PATH");

  const char* path = std::getenv("PATH");
  base::Program gnuplot{{found, "-d", "-"}};  // -d: ignore the user's settings
  gnuplot.input = script;
  gnuplot.environment = {fmt::format("PATH={}", path != nullptr ? path : ""), "LC_ALL=C"};
  gnuplot.patience = kPatience;
  auto outcome = base::run_program(gnuplot);
  if (!outcome) return tl::make_unexpected(outcome.error().message);
  if (outcome->exit_code != 0) {
    return tl::make_unexpected(fmt::format("{} failed: {}", found, first_message(outcome->err)));
  }
  if (outcome->out.empty()) {
    return tl::make_unexpected(fmt::format("{} wrote no figure: {}", found, first_message(outcome->err)));
  }
  return std::move(outcome->out);
}

}  // namespace dfrs::sim
