// SPDX-License-Identifier: GPL-2.0-or-later
// A web server for tests, on the loopback interface.
#pragma once

#include <microhttpd.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace dfrs::sim {

class WebServer {
 public:
  struct Page {
    unsigned status = 200;
    std::string body;
    std::string location;    ///< of a redirect
    bool truncated = false;  ///< announces the whole body, sends half of it and hangs up
  };
  struct Tls {
    std::string key;
    std::string certificate;
  };

  WebServer() : WebServer(nullptr) {}
  explicit WebServer(const Tls& tls) : WebServer(&tls) {}
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  void serve(const std::string& path, Page page);
  /// "http://127.0.0.1:PORT" or with https, without a slash at the end.
  std::string base() const;
  /// Paths requested so far.
  std::vector<std::string> requests() const;

 private:
  explicit WebServer(const Tls* tls);
  static MHD_Result answer(void* self, MHD_Connection* connection, const char* url, const char*, const char*,
                           const char*, std::size_t*, void**);

  mutable std::mutex mutex_;
  std::map<std::string, Page> pages_;
  std::vector<std::string> requests_;
  std::string scheme_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace dfrs::sim
