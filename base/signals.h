// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace dfrs::base {

/// Blocks all signals in its thread as long as it exists. Threads started meanwhile keep them blocked: signals are for
/// the host program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// A thread that takes no signals.
template <typename Run>
std::thread thread_without_signals(Run&& run) {
  const SignalsBlocked blocked;
  return std::thread(std::forward<Run>(run));
}

}  // namespace dfrs::base
