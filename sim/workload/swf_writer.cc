// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf_writer.h"

#include <fmt/format.h>

#include <iterator>

namespace dfrs::sim {
namespace {

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = ' ';
  }
  return text;
}

}  // namespace

std::string format_swf(const SwfLog& log) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  for (const SwfHeader::Field& field : log.header.fields) {
    fmt::format_to(to, "; {}: {}\n", on_one_line(field.name), on_one_line(field.value));
  }
  for (const SwfRecord& r : log.records) {
    fmt::format_to(to, "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", r.job, r.submit, r.wait, r.run_time,
                   r.processors_allocated, r.cpu_time, r.memory_used, r.processors_requested, r.time_requested,
                   r.memory_requested, r.status, r.user, r.group, r.application, r.queue, r.partition, r.preceding_job,
                   r.think_time);
  }
  return fmt::to_string(out);
}

}  // namespace dfrs::sim
