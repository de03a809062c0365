// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/sim/io/web_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace dfrs::sim {
namespace {

ssize_t first_half(void* body, std::uint64_t position, char* buffer, std::size_t room) {
  const std::string& text = *static_cast<std::string*>(body);
  const std::size_t half = text.size() / 2;
  if (position >= half) return MHD_CONTENT_READER_END_WITH_ERROR;
  const std::size_t count = std::min(room, half - static_cast<std::size_t>(position));
  std::memcpy(buffer, text.data() + position, count);
  return static_cast<ssize_t>(count);
}

void delete_string(void* text) { delete static_cast<std::string*>(text); }

MHD_Response* make_response(const WebServer::Page& page) {
  if (page.truncated) {
    return MHD_create_response_from_callback(page.body.size(), 4096, first_half, new std::string(page.body),
                                             delete_string);
  }
  MHD_Response* const response =
      MHD_create_response_from_buffer(page.body.size(), const_cast<char*>(page.body.data()), MHD_RESPMEM_MUST_COPY);
  if (!page.location.empty()) MHD_add_response_header(response, "Location", page.location.c_str());
  return response;
}

}  // namespace

WebServer::WebServer(const Tls* tls) : scheme_(tls != nullptr ? "https" : "http") {
  ::setenv("no_proxy", "127.0.0.1", 1);  // a proxy from the environment cannot reach this server
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<MHD_OptionItem> items{{MHD_OPTION_SOCK_ADDR, 0, &address}};
  if (tls != nullptr) {
    items.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(tls->key.c_str())});
    items.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(tls->certificate.c_str())});
  }
  items.push_back({MHD_OPTION_END, 0, nullptr});
  daemon_ = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | (tls != nullptr ? MHD_USE_TLS : 0), 0, nullptr, nullptr,
                             answer, this, MHD_OPTION_ARRAY, items.data(), MHD_OPTION_END);
  if (daemon_ == nullptr) ADD_FAILURE() << "cannot start a web server on 127.0.0.1";
}

WebServer::~WebServer() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

void WebServer::serve(const std::string& path, Page page) {
  const std::lock_guard lock(mutex_);
  pages_[path] = std::move(page);
}

std::string WebServer::base() const {
  const MHD_DaemonInfo* const info =
      daemon_ != nullptr ? MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT) : nullptr;
  return scheme_ + "://127.0.0.1:" + std::to_string(info != nullptr ? info->port : 1);
}

std::vector<std::string> WebServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

MHD_Result WebServer::answer(void* self, MHD_Connection* connection, const char* url, const char*, const char*,
                             const char*, std::size_t*, void**) {
  WebServer& server = *static_cast<WebServer*>(self);
  Page page{404, "no such page", {}, false};
  {
    const std::lock_guard lock(server.mutex_);
    server.requests_.emplace_back(url);
    if (const auto found = server.pages_.find(url); found != server.pages_.end()) page = found->second;
  }
  MHD_Response* const response = make_response(page);
  const MHD_Result result = MHD_queue_response(connection, page.status, response);
  MHD_destroy_response(response);
  return result;
}

}  // namespace dfrs::sim
