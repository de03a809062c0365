// SPDX-License-Identifier: GPL-2.0-or-later
// The connections of a server whose next request is not known to be an administrator's. They have little time, and few
// of them are kept: those who only hold connections open do not keep others out. A thread of its own ends what is due,
// and sleeps while there is nothing to watch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

namespace dfrs::shim {

struct ConnectionLimits {
  std::chrono::milliseconds time{5000};   ///< from its opening, or from its last answer, to its next whole request
  std::size_t most = 32;                  ///< beyond that the oldest go ...
  std::chrono::milliseconds grace{1000};  ///< ... unless they are younger than this
};

class Connections {
 public:
  explicit Connections(ConnectionLimits limits);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  class Entry;
  /// A new connection. The entry is valid until closed().
  Entry* opened(int fd);
  /// A request of a known user is being answered on it, or it is an administrator's: its time does not count.
  void ignore(Entry* entry);
  /// It waits for its next request: its time begins again.
  void watch(Entry* entry);
  /// To be called before the socket is closed.
  void closed(Entry* entry);

  std::uint64_t ended() const;  ///< connections ended so far; any thread

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_due(Clock::time_point now);  // mutex_ is held
  void run();

  const ConnectionLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> watched_;  // by time, the oldest first
  std::list<Entry> others_;   // ignored, or ended but not yet closed
  std::uint64_t ended_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

class Connections::Entry {
 private:
  friend class Connections;
  int fd = -1;
  Clock::time_point since;
  bool watched = true;
  bool ended = false;
  std::list<Entry>::iterator place;
};

}  // namespace dfrs::shim
