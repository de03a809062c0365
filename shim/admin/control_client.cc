// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/control_client.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "dfrs-config.h"
#include "shim/auth/authenticator.h"
#include "shim/http/client.h"

namespace dfrs::shim::ctl {
namespace {

// The message of an error answer.
std::string words_of(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string()) return json["error"];
  return "no reason given";
}

// The content of an answer, if it is one that this program understands.
Result<Json> read_answer(const HttpCallAnswer& answer) {
  if (answer.status == 401) return failure(kRefused, words_of(answer.body));
  if (answer.status == 404 && words_of(answer.body).starts_with("there is no /")) {
    return failure(kInput, fmt::format("{}: the controller is of another version than this dfrsctl, {}",
                                       words_of(answer.body), PACKAGE_VERSION));
  }
  if (answer.status != 200) return failure(kNotDone, words_of(answer.body));
  Json json = Json::parse(answer.body, nullptr, false);
  if (!json.is_object()) return failure(kInput, "the controller's answer is not JSON");
  if (json.value("format", 0) != kControlFormat) {
    return failure(kInput, fmt::format("the controller's answer has format {}, this dfrsctl {} reads format {}",
                                       json_text(json.value("format", Json())), PACKAGE_VERSION, kControlFormat));
  }
  return json;
}

struct NoAnswer {
  std::string message;
  bool try_again = false;  // a slurmctld that is about to start may answer
};

// Asks the hosts one after the other: a backup controller may have taken over. Error: none has answered.
tl::expected<Result<Json>, NoAnswer> ask_once(const ControllerAddress& address, const Question& question) {
  const Authenticator authenticator(address.auth);
  HttpCallLimits limits;
  limits.connect_timeout = std::chrono::seconds{3};
  limits.timeout = std::chrono::seconds{20};
  limits.max_answer = std::size_t{1} << 30;
  NoAnswer none;
  for (const std::string& host : address.hosts) {
    const HttpCall call{
        host, address.port, question.method, question.target, controller_receiver(address.cluster), question.body};
    const auto answer = http_call(authenticator, call, limits, address.slurm_user);
    if (answer) return read_answer(*answer);
    const HttpCallError& error = answer.error();
    if (error.refused) return Result<Json>(failure(kRefused, error.message));
    none.message += (none.message.empty() ? "" : "; ") + error.message;
    // An order on a connection that broke may have been carried out.
    using Connection = HttpCallError::Connection;
    if (error.connection == Connection::refused || (error.connection == Connection::broken && question.method == "GET"))
      none.try_again = true;
  }
  return tl::unexpected(std::move(none));
}

}  // namespace

// Since Slurm 23.11 `scontrol reconfigure` replaces the process of slurmctld. Nobody answers for a moment.
Result<Json> ask_controller(const AskOptions& options, const Question& question) {
  using std::chrono::steady_clock;
  const auto address = find_controller(options.address);
  if (!address) return failure(address.error().io ? kIo : kInput, address.error().message);
  if (address->warning) fmt::print(stderr, "dfrsctl: warning: {}\n", *address->warning);
  const auto deadline = steady_clock::now() + std::chrono::seconds{options.wait};
  auto answer = ask_once(*address, question);
  for (bool told = false; !answer && answer.error().try_again && steady_clock::now() < deadline;) {
    if (!std::exchange(told, true)) {
      fmt::print(stderr,
                 "dfrsctl: slurmctld does not answer; is it being reconfigured? Tries again for {} s (--wait)\n",
                 options.wait);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    answer = ask_once(*address, question);
  }
  if (answer) return std::move(*answer);
  return failure(kUnreachable,
                 answer.error().message +
                     "\nIs slurmctld running, with dfrs' folder first in its PluginDir, and munged (auth/slurm: "
                     "sackd or slurmd) on this host? ControlAddress and ControlPort of dfrs.conf, or --host and "
                     "--port, must say where it listens.");
}

}  // namespace dfrs::shim::ctl
