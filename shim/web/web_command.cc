// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/web/web_command.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <cstdio>
#include <set>

#include "shim/admin/history_json.h"
#include "shim/web/web_server.h"

namespace dfrs::shim::web {
namespace {

// Blocks SIGINT and SIGTERM, which interrupted_within() waits for.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool interrupted_within(unsigned seconds) const {
    const timespec patience{static_cast<time_t>(seconds), 0};
    return sigtimedwait(&set_, nullptr, &patience) >= 0;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

// Names beside the numbers of users.
void add_users(Json& status, const std::function<std::string(std::uint32_t)>& user_name) {
  std::set<std::uint32_t> ids;
  for (const Json& job : status.at("jobs")) ids.insert(job.at("user_id").get<std::uint32_t>());
  Json users = Json::object();
  for (const std::uint32_t id : ids) users[std::to_string(id)] = user_name(id);
  status["users"] = std::move(users);
}

ctl::Result<void> fetch_state(const WebCommand& command, const ctl::AskOptions& ask, Feed& feed) {
  auto status = ctl::ask_controller(ask, {"GET", "/v1/status"});
  if (!status) return tl::unexpected(status.error());
  const auto nodes = ctl::ask_controller(ask, {"GET", "/v1/nodes"});
  if (!nodes) return tl::unexpected(nodes.error());
  add_users(*status, command.user_name);
  feed.publish(*status, *nodes);
  return {};
}

// What the controller remembers. Error: why there is none; the page does without.
tl::expected<void, std::string> take_past(const ctl::AskOptions& ask, Feed& feed) {
  const auto told = ctl::ask_controller(ask, {"GET", "/v1/history"});
  if (!told) return tl::unexpected(told.error().message);
  const auto past = history_of(*told);
  if (!past) return tl::unexpected(past.error());
  feed.go_on_from(*past);
  return {};
}

std::string explain(const ctl::AskOptions& ask, std::uint32_t job) {
  const auto told = ctl::ask_controller(ask, {"GET", fmt::format("/v1/explain?job={}", job)});
  return json_text(told ? *told : Json{{"error", told.error().message}});
}

}  // namespace

ctl::Result<void> serve(const WebCommand& command) {
  const StopSignals stop;  // before any thread begins
  Feed feed;
  if (const auto taken = take_past(command.ask, feed); !taken)
    fmt::print(stderr, "dfrsctl: the timeline begins now: {}\n", taken.error());
  if (const auto first = fetch_state(command, command.ask, feed); !first) return first;
  ctl::AskOptions later = command.ask;
  later.wait = 0;  // the next question comes soon
  const auto token = new_token();
  if (!token) return ctl::failure(ctl::kInternal, token.error());
  const auto server =
      WebServer::start({command.port, *token}, feed, [&later](std::uint32_t job) { return explain(later, job); });
  if (!server) return ctl::failure(ctl::kIo, server.error());
  fmt::print("{}\n", (*server)->address());
  if (std::fflush(stdout) != 0) return ctl::failure(ctl::kIo, "standard output cannot be written");
  fmt::print(stderr,
             "dfrsctl: open this address in a browser on this host, and keep it to yourself: it gives access to the "
             "page. Press Ctrl-C to stop\n");
  while (!stop.interrupted_within(command.every)) {
    if (const auto seen = fetch_state(command, later, feed); !seen) feed.publish_error(seen.error().message);
  }
  return {};
}

}  // namespace dfrs::shim::web
