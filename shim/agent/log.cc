// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>

#include <memory>

namespace dfrs::shim {
namespace {

// "<4>" at the beginning of a line tells the journal its level.
class JournalLevel final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    char level = '6';
    if (message.level >= spdlog::level::err)
      level = '3';
    else if (message.level == spdlog::level::warn)
      level = '4';
    else if (message.level < spdlog::level::info)
      level = '7';
    line.push_back('<');
    line.push_back(level);
    line.push_back('>');
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<JournalLevel>(); }
};

}  // namespace

void start_log(const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("dfrsd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  // systemd sets this for services whose standard error goes to the journal.
  if (getenv("JOURNAL_STREAM") != nullptr)
    formatter->add_flag<JournalLevel>('*').set_pattern("%*%v");
  else
    formatter->set_pattern("%Y-%m-%dT%H:%M:%S.%e dfrsd: %l: %v");
  logger->set_formatter(std::move(formatter));
  logger->set_level(spdlog::level::from_str(level == "error" ? "err" : level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

void write_log(AgentLog level, const std::string& message) {
  // As an argument, not as a format: messages hold what requests and files say.
  switch (level) {
    case AgentLog::error:
      spdlog::error("{}", message);
      break;
    case AgentLog::warning:
      spdlog::warn("{}", message);
      break;
    case AgentLog::info:
      spdlog::info("{}", message);
      break;
  }
}

std::optional<std::string> LogLimit::pass(const std::string& message, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (begin_ == Clock::time_point{} || now - begin_ >= std::chrono::minutes(1)) {
    const std::uint64_t left_out = left_out_;
    begin_ = now;
    passed_ = 1;
    left_out_ = 0;
    return left_out == 0 ? message : fmt::format("{} ({} more such messages were left out)", message, left_out);
  }
  if (passed_ < per_minute_) {
    ++passed_;
    return message;
  }
  ++left_out_;
  return std::nullopt;
}

}  // namespace dfrs::shim
