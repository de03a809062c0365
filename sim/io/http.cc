// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/http.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>

#include "sim/errors.h"

namespace dfrs::sim {
namespace {

struct Body {
  std::string bytes;
  std::uint64_t max_bytes;
  bool too_long = false;
};

// C++ exceptions must not pass through libcurl, so running out of memory becomes a failed transfer.
std::size_t append(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  Body& body = *static_cast<Body*>(user);
  const std::size_t length = size * count;
  if (length > body.max_bytes - body.bytes.size()) {
    body.too_long = true;
    return 0;
  }
  try {
    body.bytes.append(data, length);
  } catch (...) {
    return 0;
  }
  return length;
}

void initialise_once() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

void allow_protocols(CURL* curl, bool redirects_to_http) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, redirects_to_http ? "http,https" : "https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS,
                   static_cast<long>(redirects_to_http ? CURLPROTO_HTTP | CURLPROTO_HTTPS : CURLPROTO_HTTPS));
#endif
}

// libcurl calls this several times a second.
int report_transfer(void* user, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) noexcept {
  if (total <= 0) return 0;  // not known yet
  try {
    (*static_cast<const TransferProgress*>(user))(static_cast<std::size_t>(done), static_cast<std::size_t>(total));
  } catch (...) {
    return 1;
  }
  return 0;
}

long milliseconds(Seconds seconds) { return static_cast<long>(std::clamp(seconds, 0.001, 1e6) * 1000); }

}  // namespace

Result<std::string> http_get(const std::string& url, const HttpOptions& options) {
  initialise_once();
  if (!options.ca_file.empty() && ::access(options.ca_file.c_str(), R_OK) != 0) {
    return io_error(
        fmt::format("{}: cannot read the file of certificate authorities: {}", options.ca_file, std::strerror(errno)));
  }
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
  CURL* const curl = handle.get();
  if (curl == nullptr) throw std::bad_alloc();

  Body body{{}, options.max_bytes};
  std::array<char, CURL_ERROR_SIZE> reason{};
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason.data());
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  allow_protocols(curl, url.size() > 4 && url[4] == ':');
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, static_cast<long>(options.max_redirects));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "dfrs-sim");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connect_timeout));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds(options.total_timeout));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, std::max(1L, milliseconds(options.stall_timeout) / 1000));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  if (!options.ca_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, options.ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);  // replaces the system's authorities
  }

  if (options.progress) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, report_transfer);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<TransferProgress*>(&options.progress));
  }

  const CURLcode code = curl_easy_perform(curl);
  if (body.too_long) {
    return network_error(fmt::format("{}: the answer is longer than {} bytes", url, options.max_bytes));
  }
  if (code != CURLE_OK) {
    return network_error(fmt::format("{}: {}", url, reason[0] != '\0' ? reason.data() : curl_easy_strerror(code)));
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    return network_error(fmt::format("{}: the server answered {}{}", url, status, status == 404 ? " (not found)" : ""));
  }
  return std::move(body.bytes);
}

}  // namespace dfrs::sim
