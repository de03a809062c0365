// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/load.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim/errors.h"
#include "sim/workload/sacct/table.h"
#include "sim/workload/swf_stream.h"
#include "sim/workload/trace_file.h"

namespace dfrs::sim {

std::string name_from_source(const std::string& source) {
  if (source == "-") return "stdin";
  std::string_view name(source);
  if (is_url(name)) name = name.substr(0, name.find_first_of("?#"));
  if (const std::size_t slash = name.find_last_of('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  constexpr std::array<std::string_view, 4> kCompressed{".gz", ".xz", ".zst", ".bz2"};
  constexpr std::array<std::string_view, 4> kFormats{".swf", ".trace", ".txt", ".sacct"};
  const auto strip = [&](const auto& endings) {
    for (const std::string_view ending : endings) {
      if (name.size() > ending.size() && name.ends_with(ending)) {
        name.remove_suffix(ending.size());
        return;
      }
    }
  };
  strip(kCompressed);
  strip(kFormats);
  return name.empty() ? "trace" : std::string(name);
}

namespace {

// The log of the DFRS papers, by its header.
bool is_hpc2n(const SwfHeader& header) {
  return std::any_of(header.fields.begin(), header.fields.end(), [](const SwfHeader::Field& field) {
    return field.name == "Installation" && field.value.find("HPC2N") != std::string::npos;
  });
}

SwfWorkload load_swf(std::string_view text, const std::string& name, const LoadOptions& options, Loaded& loaded) {
  return read_swf(text, loaded.source, options.swf, [&](SwfRecords& records) {
    loaded.annotation = options.annotation;
    if (options.annotation == SwfAnnotation::kAuto) {
      loaded.annotation = is_hpc2n(records.header()) ? SwfAnnotation::kMemory : SwfAnnotation::kProcessors;
    }
    return loaded.annotation == SwfAnnotation::kMemory
               ? annotated_instance(records, name, options.conventions, options.memory)
               : swf_instance(records, name, options.conventions, options.processors);
  });
}

}  // namespace

Loaded load_instances_from_text(std::string_view text, const std::string& source, const LoadOptions& options) {
  Loaded loaded;
  loaded.source = source_name(source);
  if (is_trace_text(text)) {
    loaded.instances = parse_traces(text, loaded.source);
    if (options.memory_model) {
      for (Instance& instance : loaded.instances) draw_memory(instance, *options.memory_model);
    }
    return loaded;
  }
  const std::string name = options.name.empty() ? name_from_source(source) : options.name;
  SwfWorkload workload;
  if (is_sacct_text(text)) {
    loaded.was_sacct = true;
    const SacctLog log = parse_sacct(text, loaded.source, {options.swf.lenient});
    workload = sacct_instance(log, name, options.sacct);
    loaded.first_submission = log.jobs.front().submit;
    if (std::string guessed = describe_guess(log, options.sacct.shape); !guessed.empty()) {
      loaded.notes.push_back(std::move(guessed));
    }
  } else {
    loaded.was_swf = true;
    workload = load_swf(text, name, options, loaded);
  }
  loaded.report = std::move(workload.report);
  if (options.memory_model) {
    MemoryModel model = *options.memory_model;
    if (loaded.was_swf && loaded.annotation == SwfAnnotation::kProcessors) model.cores = options.processors.cores;
    draw_memory(workload.instance, model);
  }
  const bool papers_log = options.annotation == SwfAnnotation::kAuto && loaded.annotation == SwfAnnotation::kMemory;
  if (options.weeks.value_or(papers_log)) {
    loaded.papers_weeks = papers_log;
    loaded.instances = split_weeks(workload.instance, name, options.week_length);
  } else {
    loaded.instances.push_back(std::move(workload.instance));
  }
  return loaded;
}

Loaded load_instances(const std::string& source, const LoadOptions& options) {
  return load_instances_from_text(read_text(source, options.input), source, options);
}

}  // namespace dfrs::sim
