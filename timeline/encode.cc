// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/encode.h"

#include <libdeflate.h>
#include <nettle/base64.h>

#include <cmath>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/utf8.h"

namespace dfrs::timeline {
namespace {

constexpr int kLevel = 6;

std::int64_t ms(Seconds time) { return std::llround(time * 1000); }

// Integers of 7 bits a byte, the lowest first.
class Column {
 public:
  explicit Column(std::string_view name) : name_(name) {}
  void add(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
    bytes_ += static_cast<char>(rest);
    ++count_;
  }
  // The difference from the last one, the sign in the lowest bit.
  void add_change(std::int64_t value) {
    const std::int64_t change = value - last_;
    last_ = value;
    changes_ = true;
    add(change < 0 ? -2 * change - 1 : 2 * change);
  }
  nlohmann::ordered_json header() const {
    return {{"name", name_}, {"count", count_}, {"bytes", bytes_.size()}, {"changes", changes_}};
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string name_;
  std::string bytes_;
  std::size_t count_ = 0;
  std::int64_t last_ = 0;
  bool changes_ = false;
};

void add_jobs(const Schedule& schedule, std::vector<Column>& columns) {
  Column id("job.id"), user("job.user"), submit("job.submit"), time("job.time"), tasks("job.tasks"), need("job.need");
  Column memory("job.memory"), work("job.run_time");
  for (const ScheduleJob& job : schedule.jobs) {
    id.add_change(static_cast<std::int64_t>(job.id));
    user.add_change(job.user);
    submit.add_change(ms(job.submit));
    time.add(job.end < 0 ? 0 : 1 + ms(job.end) - ms(job.submit));
    tasks.add(job.tasks);
    need.add(std::llround(job.cpu_need * 1e6));
    memory.add(std::llround(job.memory));
    work.add(job.run_time < 0 ? 0 : 1 + ms(job.run_time));
  }
  for (Column* column : {&id, &user, &submit, &time, &tasks, &need, &memory, &work}) {
    columns.push_back(std::move(*column));
  }
}

void add_stays(const Schedule& schedule, std::vector<Column>& columns) {
  Column job("stay.job"), from("stay.from"), time("stay.time"), penalty("stay.penalty"), kind("stay.kind");
  Column node_count("stay.nodes"), step_count("stay.steps"), node("node"), at("step.time"), yield("step.yield");
  for (const Stay& stay : schedule.stays) {
    job.add_change(stay.job);
    from.add_change(ms(stay.from));
    time.add(ms(stay.to) - ms(stay.from));
    penalty.add(ms(stay.served) - ms(stay.from));
    kind.add(static_cast<int>(stay.begin) + 4 * static_cast<int>(stay.end));
    node_count.add(stay.node_count);
    step_count.add(stay.step_count);
    for (const NodeIndex index : schedule.nodes_of(stay)) node.add_change(index);
    std::int64_t last = ms(stay.from);
    for (const YieldStep& step : schedule.steps_of(stay)) {
      at.add(ms(step.at) - last);
      last = ms(step.at);
      yield.add(std::llround(step.yield * 1e5));
    }
  }
  for (Column* column : {&job, &from, &time, &penalty, &kind, &node_count, &step_count, &node, &at, &yield}) {
    columns.push_back(std::move(*column));
  }
}

}  // namespace

std::string encode_schedule(const Schedule& schedule) {
  std::vector<Column> columns;
  add_jobs(schedule, columns);
  add_stays(schedule, columns);
  nlohmann::ordered_json header{{"format", 1},
                                {"algorithm", base::printable(schedule.algorithm)},
                                {"begin", schedule.begin},
                                {"end", schedule.end},
                                {"node_cpu", schedule.node_cpu},
                                {"node_memory", schedule.node_memory},
                                {"columns", nlohmann::ordered_json::array()}};
  if (!schedule.node_names.empty()) {
    header["node_names"] = nlohmann::ordered_json::array();
    for (const std::string& name : schedule.node_names) header["node_names"].push_back(base::printable(name));
  }
  if (schedule.utc_offset) header["utc_offset"] = *schedule.utc_offset;
  for (const Column& column : columns) header["columns"].push_back(column.header());
  std::string data = header.dump() + '\n';
  for (const Column& column : columns) data += column.bytes();
  return data;
}

std::string encode_told(const Schedule& schedule) {
  std::string text;
  for (const std::string& job : schedule.told) text += (text.empty() ? "" : "\x1e") + job;
  return text;
}

std::string compressed_base64(const std::string& data) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string packed(libdeflate_zlib_compress_bound(compressor.get(), data.size()), '\0');
  packed.resize(libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), packed.data(), packed.size()));
  std::string text(BASE64_ENCODE_RAW_LENGTH(packed.size()), '\0');
  base64_encode_raw(text.data(), packed.size(), reinterpret_cast<const std::uint8_t*>(packed.data()));
  return text;
}

}  // namespace dfrs::timeline
