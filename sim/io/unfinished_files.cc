// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/unfinished_files.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>

namespace dfrs::sim {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t kSlots = 64;

// The handler may run at any moment in any thread, so it shares only these with the rest. Whichever side takes a name
// out of its slot owns it.
std::array<std::atomic<char*>, kSlots> names{};
std::atomic<int> creating{0};
std::atomic<bool> ending{false};
std::atomic<const std::string*> last_words{nullptr};
static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

sigset_t all_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

// Calls only async-signal-safe functions.
extern "C" void remove_files_and_end(int signal) {
  ending = true;
  // Waits briefly for another thread to register the file it is creating, but not for a file system that hangs.
  const timespec moment{0, 1'000'000};
  for (int k = 0; k < 200 && creating != 0; ++k) nanosleep(&moment, nullptr);
  for (std::atomic<char*>& name : names) {
    if (const char* const path = name.exchange(nullptr)) unlink(path);
  }
  if (const std::string* const text = last_words) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text->data(), text->size());
  }
  struct sigaction by_default{};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  raise(signal);  // delivered when the handler returns
}

// While one exists, no handler runs in this thread, and a handler in another thread waits.
class Creation {
 public:
  Creation() {
    const sigset_t set = all_signals();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
    ++creating;
    if (ending) {
      --creating;
      for (;;) pause();  // the program ends
    }
  }
  ~Creation() {
    const int error = errno;
    --creating;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

void remove_unfinished_files_on_signals() {
  struct sigaction action{};
  action.sa_handler = remove_files_and_end;
  action.sa_mask = all_signals();
  for (const int signal : kSignals) {
    struct sigaction before{};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void set_last_words(const std::string& text) {
  // An earlier text is kept, because the handler may be reading it.
  static std::deque<std::string> texts;
  last_words = &texts.emplace_back(text);
}

int UnfinishedFile::create(const std::string& path) {
  finish();
  char* const name = new char[path.size() + 1];
  std::memcpy(name, path.c_str(), path.size() + 1);
  int fd = -1;
  {
    const Creation creation;
    fd = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    for (std::size_t k = 0; fd >= 0 && slot_ < 0 && k < kSlots; ++k) {
      char* free = nullptr;
      if (names[k].compare_exchange_strong(free, name)) slot_ = static_cast<int>(k);
    }
  }
  const int error = errno;
  if (slot_ < 0) delete[] name;
  errno = error;
  return fd;
}

void UnfinishedFile::finish() {
  if (slot_ < 0) return;
  delete[] names[static_cast<std::size_t>(slot_)].exchange(nullptr);
  slot_ = -1;
}

}  // namespace dfrs::sim
