// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/http/client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace dfrs::shim {
namespace {

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

bool append_header(HeaderList& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  static_cast<void>(list.release());
  list.reset(longer);
  return true;
}

// Child processes of the host program must not inherit sockets.
curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// "host" or "[v6 address]" of a URL.
std::string url_host(const std::string& host) {
  return host.find(':') != std::string::npos && host.front() != '[' ? fmt::format("[{}]", host) : host;
}

// That field of an error answer; nothing if it has none.
std::optional<std::string> error_field(const std::string& body, const char* name) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto field = json.find(name);
  if (field == json.end() || !field->is_string()) return std::nullopt;
  return field->get<std::string>();
}

// Cut short: nobody has proven who says it.
std::string error_words(const std::string& body) {
  constexpr std::size_t kMost = 300;
  return error_field(body, "error").value_or("no reason given").substr(0, kMost);
}
std::string error_reason(const std::string& body) { return error_field(body, "reason").value_or(""); }

}  // namespace

struct HttpTransfer::State {
  HttpCall call;
  ClientSession* session = nullptr;
  bool in_session = false;  // this call is part of it, not one that may begin it
  std::string nonce;        // of the credential
  HeaderList headers;
  std::string answer;
  std::size_t max_answer = 0;
  bool too_large = false;
  char error[CURL_ERROR_SIZE] = "";

  std::string where() const { return fmt::format("{} at {} port {}", call.receiver, call.host, call.port); }

  static std::size_t write(char* data, std::size_t, std::size_t size, void* self) {
    State& state = *static_cast<State*>(self);
    if (size > state.max_answer - state.answer.size()) {
      state.too_large = true;
      return 0;
    }
    try {
      state.answer.append(data, size);
    } catch (...) {
      return 0;
    }
    return size;
  }
};

namespace {

HttpCallError::Connection connection_after(CURL* curl, CURLcode result) {
  if (result == CURLE_GOT_NOTHING || result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR)
    return HttpCallError::Connection::broken;
  long error = 0;
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &error);
  return result == CURLE_COULDNT_CONNECT && error == ECONNREFUSED ? HttpCallError::Connection::refused
                                                                  : HttpCallError::Connection::other;
}

}  // namespace

HttpTransfer::HttpTransfer() : state_(std::make_unique<State>()) {
  curl_setup();
  curl_ = curl_easy_init();
}

HttpTransfer::~HttpTransfer() {
  if (curl_ != nullptr) curl_easy_cleanup(curl_);
}

// The header that shows whose call it is.
tl::expected<std::string, HttpCallError> HttpTransfer::sign(const Authenticator& authenticator) {
  State& state = *state_;
  const RequestWords words{state.call.method, state.call.target, state.call.receiver, state.call.body};
  state.in_session = state.session != nullptr && state.session->usable(SessionClock::now());
  if (state.in_session) return fmt::format("{}: {}", kSessionHeader, state.session->sign(words));
  auto request = authenticator.sign_request(
      words, state.session != nullptr ? std::optional(state.session->server()) : std::nullopt);
  if (!request) return tl::unexpected(HttpCallError{fmt::format("{}: {}", state.where(), request.error().message)});
  state.nonce = request->nonce;
  return fmt::format("{}: {}", kRequestCredentialHeader, request->credential);
}

tl::expected<void, HttpCallError> HttpTransfer::prepare(const Authenticator& authenticator, HttpCall call,
                                                        const HttpCallLimits& limits, ClientSession* session) {
  if (curl_ == nullptr) return tl::unexpected(HttpCallError{"libcurl cannot be set up (out of memory?)"});
  State& state = *state_;
  state.call = std::move(call);
  state.session = session;
  state.answer.clear();
  state.max_answer = limits.max_answer;
  state.too_large = false;
  state.error[0] = '\0';
  const auto signature = sign(authenticator);
  if (!signature) return tl::unexpected(signature.error());

  state.headers.reset();
  // An empty Expect, since curl would otherwise wait a second before it sends a larger body.
  if (!append_header(state.headers, *signature) || !append_header(state.headers, "Content-Type: application/json") ||
      !append_header(state.headers, "Expect:"))
    return tl::unexpected(HttpCallError{"out of memory"});

  curl_easy_reset(curl_);  // keeps connections
  const std::string url = fmt::format("http://{}:{}{}", url_host(state.call.host), state.call.port, state.call.target);
  curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, state.headers.get());
  curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(curl_, CURLOPT_PROXY, "");
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl_, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect_timeout.count()));
  curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.timeout.count()));
  curl_easy_setopt(curl_, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, State::write);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &state);
  curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, state.error);
  if (state.call.method == "POST") {
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(state.call.body.size()));
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, state.call.body.c_str());
  }
  return {};
}

std::optional<std::string> HttpTransfer::answer_header(const char* name) const {
  curl_header* header = nullptr;
  if (curl_easy_header(curl_, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return std::nullopt;
  return header->value;
}

// Of a call with a credential; begins a session if the server does.
tl::expected<void, HttpCallError> HttpTransfer::verify(const Authenticator& authenticator, int status,
                                                       uid_t administrator) const {
  const State& state = *state_;
  const auto credential = answer_header(kAnswerCredentialHeader);
  if (!credential) {
    // The sender is unknown: use nothing of the answer but its message.
    return tl::unexpected(HttpCallError{
        status == 200
            ? fmt::format("{}: the answer carries no credential; does a program of dfrs listen there?", state.where())
            : fmt::format("{}: refused with status {}: {}", state.where(), status, error_words(state.answer)),
        true});
  }
  const std::string begun = answer_header(kSessionHeader).value_or("");
  const std::string_view salt = parse_beginning(begun);
  const auto uid =
      authenticator.verify_answer(*credential, state.nonce, state.call.receiver, status, state.answer, salt);
  if (!uid) {
    return tl::unexpected(HttpCallError{fmt::format("{}: {}", state.where(), uid.error().message),
                                        uid.error().reason != Refusal::unavailable});
  }
  if (*uid != 0 && *uid != administrator) {
    return tl::unexpected(
        HttpCallError{fmt::format("{}: the answer is from user id {}, expected root or SlurmUser (id {})",
                                  state.where(), *uid, administrator),
                      true});
  }
  if (state.session != nullptr && !salt.empty())
    state.session->begin(state.nonce, state.call.receiver, salt, SessionClock::now());
  return {};
}

tl::expected<void, HttpCallError> HttpTransfer::verify_session(int status) const {
  const State& state = *state_;
  const auto mac = answer_header(kSessionHeader);
  if (mac && state.session->verify_answer(*mac, status, state.answer)) return {};
  state.session->end();
  // The sender is unknown: at worst the next call has a credential.
  HttpCallError error{
      fmt::format("{}: refused in a session with status {}: {}", state.where(), status, error_words(state.answer)),
      true};
  error.session_ended = status == 401 && error_reason(state.answer) == reason_name(Refusal::unknown_session);
  return tl::unexpected(error);
}

tl::expected<HttpCallAnswer, HttpCallError> HttpTransfer::finish(const Authenticator& authenticator, CURLcode result,
                                                                 uid_t administrator) {
  const State& state = *state_;
  if (state.too_large) {
    return tl::unexpected(
        HttpCallError{fmt::format("{}: the answer is larger than {} bytes", state.where(), state.max_answer)});
  }
  if (result != CURLE_OK) {
    return tl::unexpected(HttpCallError{
        fmt::format("{}: {}", state.where(), state.error[0] != '\0' ? state.error : curl_easy_strerror(result)), false,
        connection_after(curl_, result)});
  }
  long status = 0;
  curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
  const auto genuine = state.in_session ? verify_session(static_cast<int>(status))
                                        : verify(authenticator, static_cast<int>(status), administrator);
  if (!genuine) return tl::unexpected(genuine.error());
  return HttpCallAnswer{static_cast<int>(status), state.answer};
}

void curl_setup() {
  static std::once_flag once;
  // No cleanup: other parts of the host program may use curl, too.
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

tl::expected<HttpCallAnswer, HttpCallError> http_call(const Authenticator& authenticator, const HttpCall& call,
                                                      const HttpCallLimits& limits, uid_t administrator) {
  HttpTransfer transfer;
  if (const auto ready = transfer.prepare(authenticator, call, limits); !ready) return tl::unexpected(ready.error());
  return transfer.finish(authenticator, curl_easy_perform(transfer.handle()), administrator);
}

}  // namespace dfrs::shim
