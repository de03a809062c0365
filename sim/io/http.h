// SPDX-License-Identifier: GPL-2.0-or-later
// One GET over HTTP or HTTPS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "policy/core/units.h"
#include "sim/errors.h"

namespace dfrs::sim {

/// Called with the bytes that have come, and with all.
using TransferProgress = std::function<void(std::size_t done, std::size_t total)>;

struct HttpOptions {
  std::string ca_file;                               ///< PEM file of certificate authorities; empty: the system's
  Seconds connect_timeout = 30;                      ///< > 0
  Seconds stall_timeout = 60;                        ///< gives up after this long without data, >= 1
  Seconds total_timeout = 3600;                      ///< > 0
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  ///< larger responses are refused
  int max_redirects = 5;
  TransferProgress progress;  ///< may be empty
};

/// The body of the response from `url` (http or https). Redirects are followed only to http and https, and from https
/// only to https; certificates are always verified. Proxies are taken from the environment, as by curl. Errors:
/// kExitNetwork naming the URL and the reason - no connection, certificate, status other than 200, a body shorter than
/// announced, a timeout, more than max_bytes; kExitIo if ca_file cannot be read.
Result<std::string> http_get(const std::string& url, const HttpOptions& options = {});

}  // namespace dfrs::sim
