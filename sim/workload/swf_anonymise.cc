// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf_anonymise.h"

#include <array>
#include <string_view>
#include <unordered_map>

namespace dfrs::sim {
namespace {

constexpr std::array<std::string_view, 8> kKept{"Version",  "MaxJobs",    "MaxRecords", "MaxNodes",
                                                "MaxProcs", "MaxRuntime", "MaxMemory",  "AllowOveruse"};

template <typename Number>
class Renumbered {
 public:
  void change(Number& number) {
    if (number < 0) return;
    number = numbers_.try_emplace(number, static_cast<Number>(numbers_.size() + 1)).first->second;
  }
  // The new number for a reference; -1 if it refers to nothing.
  Number of(Number number) const {
    const auto at = numbers_.find(number);
    return at == numbers_.end() ? Number{-1} : at->second;
  }

 private:
  std::unordered_map<Number, Number> numbers_;
};

}  // namespace

void anonymise_swf(SwfLog& log) {
  Renumbered<std::int64_t> jobs;
  Renumbered<std::int32_t> users, groups, applications, queues, partitions;
  for (SwfRecord& record : log.records) {
    jobs.change(record.job);
    users.change(record.user);
    groups.change(record.group);
    applications.change(record.application);
    queues.change(record.queue);
    partitions.change(record.partition);
  }
  for (SwfRecord& record : log.records) {
    if (record.preceding_job >= 0) record.preceding_job = jobs.of(record.preceding_job);
  }
  std::erase_if(log.header.fields, [](const SwfHeader::Field& field) {
    for (const std::string_view name : kKept) {
      if (field.name == name) return false;
    }
    return true;
  });
  for (SwfHeader::Field& field : log.header.fields) {
    // "338 (batch)": a name may follow the number.
    field.value = field.value.substr(0, field.value.find_first_not_of("0123456789."));
  }
  log.header.unix_start_time.reset();
}

}  // namespace dfrs::sim
