// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/web/feed.h"

#include <algorithm>
#include <cmath>

namespace dfrs::shim::web {
namespace {

std::string event_text(const char* event, const Json& data) {
  // Without line breaks, so that it is one line of data.
  return std::string("event: ") + event + "\ndata: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n\n";
}

Json history_json(const std::deque<Sample>& samples) {
  Json out = Json::array();
  for (const Sample& s : samples) out.push_back({s.at, s.running, s.waiting, s.paused, s.mean_yield, s.nodes});
  return out;
}

}  // namespace

Sample sample_of(const Json& status, const Json& nodes) {
  Sample sample;
  sample.at = status.value("now", 0.0);
  double yields = 0;
  for (const Json& job : status.at("jobs")) {
    const std::string state = job.at("state");
    if (state == "running" || state == "pausing" || state == "moving") {
      ++sample.running;
      yields += job.at("yield").get<double>();
    } else {
      ++sample.waiting;
      sample.paused += state == "suspended" || state == "requeued" || state == "resuming" ? 1 : 0;
    }
  }
  if (sample.running != 0) sample.mean_yield = yields / sample.running;
  for (const Json& node : nodes.at("nodes")) {
    const double cpus = node.at("cpus");
    const double used = node.at("allocated_cpus").get<double>() + node.at("foreign_cpus").get<double>();
    constexpr std::uint8_t kNotUsable = 255;
    sample.nodes.push_back(node.at("usable").get<bool>() && cpus > 0
                               ? static_cast<std::uint8_t>(std::lround(100 * std::clamp(used / cpus, 0.0, 2.0)))
                               : kNotUsable);
  }
  return sample;
}

void History::add(Sample sample) {
  const std::size_t nodes = std::max<std::size_t>(1, sample.nodes.size());
  const std::size_t most = std::max<std::size_t>(2, std::min(most_, values_ / nodes));
  samples_.push_back(std::move(sample));
  while (samples_.size() > most) {
    std::deque<Sample> kept;
    for (std::size_t k = samples_.size() - 1; k < samples_.size(); k -= 2) kept.push_front(std::move(samples_[k]));
    samples_ = std::move(kept);
  }
}

void Feed::publish(const Json& status, const Json& nodes) {
  Sample sample = sample_of(status, nodes);
  const std::lock_guard lock(mutex_);
  history_.add(std::move(sample));
  put("look", {{"status", status}, {"nodes", nodes.at("nodes")}});
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
  return event_text("history", history_json(history_.samples())) + message_;
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
