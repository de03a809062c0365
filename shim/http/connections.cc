// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/http/connections.h"

#include <sys/socket.h>

#include <iterator>

#include "base/signals.h"

namespace dfrs::shim {

Connections::Connections(ConnectionLimits limits) : limits_(limits) {
  // Signals are for the host program's threads.
  thread_ = base::thread_without_signals([this] { run(); });
}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Connections::Entry* Connections::opened(int fd) {
  Entry* opened = nullptr;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = watched_.emplace_back();
    entry.fd = fd;
    entry.since = Clock::now();
    entry.place = std::prev(watched_.end());
    opened = &entry;
  }
  changed_.notify_all();
  return opened;
}

void Connections::ignore(Entry* entry) {
  const std::lock_guard lock(mutex_);
  if (!entry->watched) return;
  entry->watched = false;
  others_.splice(others_.end(), watched_, entry->place);
}

void Connections::watch(Entry* entry) {
  {
    const std::lock_guard lock(mutex_);
    if (entry->ended) return;
    entry->since = Clock::now();
    watched_.splice(watched_.end(), entry->watched ? watched_ : others_, entry->place);
    entry->watched = true;
  }
  changed_.notify_all();
}

void Connections::closed(Entry* entry) {
  const std::lock_guard lock(mutex_);
  (entry->watched ? watched_ : others_).erase(entry->place);
}

std::uint64_t Connections::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

// Ends connections whose time is up. When to look again.
Connections::Clock::time_point Connections::end_due(Clock::time_point now) {
  while (!watched_.empty()) {
    Entry& oldest = watched_.front();
    const Clock::time_point due = oldest.since + (watched_.size() > limits_.most ? limits_.grace : limits_.time);
    if (due > now) return due;
    // The server reads the end of the connection and closes it.
    shutdown(oldest.fd, SHUT_RDWR);
    ++ended_;
    oldest.watched = false;
    oldest.ended = true;
    others_.splice(others_.end(), watched_, oldest.place);
  }
  return Clock::time_point::max();
}

void Connections::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const Clock::time_point next = end_due(Clock::now());
    if (next == Clock::time_point::max())
      changed_.wait(lock);
    else
      changed_.wait_until(lock, next);
  }
}

}  // namespace dfrs::shim
