// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/web/feed.h"

namespace dfrs::shim::web {
namespace {

std::string event_text(const char* event, const Json& data) {
  // Without line breaks, so that it is one line of data.
  return std::string("event: ") + event + "\ndata: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n\n";
}

}  // namespace

void Feed::go_on_from(const ObservedPast& past) {
  const std::lock_guard lock(mutex_);
  schedule_.go_on_from(past.schedule, past.reference_cpus);
}

void Feed::publish(const Json& status, const Json& nodes) {
  const std::lock_guard lock(mutex_);
  schedule_.update(status, nodes);
  put("look", {{"status", status}, {"nodes", nodes.at("nodes")}});
}

timeline::Schedule Feed::schedule() const {
  const std::lock_guard lock(mutex_);
  return schedule_.schedule();
}

void Feed::publish_error(const std::string& message) {
  const std::lock_guard lock(mutex_);
  put("trouble", {{"error", message}});
}

void Feed::put(const char* event, const Json& data) {
  message_ = event_text(event, data);
  ++number_;
  changed_.notify_all();
}

void Feed::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::string Feed::begin(std::uint64_t& seen) const {
  const std::lock_guard lock(mutex_);
  seen = number_;
  return message_;
}

std::optional<std::string> Feed::next(std::uint64_t& seen, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return closed_ || number_ > seen; });
  if (closed_) return std::nullopt;
  if (number_ == seen) return ": still here\n\n";
  seen = number_;
  return message_;
}

}  // namespace dfrs::shim::web
