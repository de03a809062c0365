// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim/workload/sacct/licences.h"
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
  constexpr std::array<std::string_view, 6> kFormats{".swf", ".trace", ".txt", ".sacct", ".csv", ".tsv"};
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

// What is done with the papers' log without being asked for.
std::string describe_hpc2n(const Loaded& loaded, const LoadOptions& options) {
  return fmt::format(
      "HPC2N's log, annotated with its memory as in RR-7659: {} nodes with {} CPUs and {} MiB each{}; --annotation and "
      "--whole or --weeks choose otherwise",
      options.memory.nodes, options.memory.cores, options.memory.memory_mib,
      loaded.by_week ? ", split into weeks" : "");
}

Result<SwfWorkload> load_swf(std::string_view text, const std::string& name, const LoadOptions& options,
                             Loaded& loaded) {
  return read_swf(text, loaded.source, options.swf, [&](SwfRecords& records) {
    const bool hpc2n = is_hpc2n(records.header());
    const bool any = options.annotation == SwfAnnotation::kAuto;
    loaded.annotation = options.annotation;
    if (any) loaded.annotation = hpc2n ? SwfAnnotation::kMemory : SwfAnnotation::kProcessors;
    loaded.by_week = options.weeks.value_or(hpc2n && (any || options.hpc2n_by_week));
    const bool memory = loaded.annotation == SwfAnnotation::kMemory;
    loaded.cores = memory ? options.memory.cores : options.processors.cores;
    loaded.memory_mib = memory ? options.memory.memory_mib : options.processors.memory_mib;
    const MemoryAnnotation papers;
    loaded.papers_weeks = hpc2n && memory && loaded.by_week && options.memory.nodes == papers.nodes &&
                          options.memory.cores == papers.cores && options.memory.memory_mib == papers.memory_mib;
    if (hpc2n && any) loaded.notes.push_back(describe_hpc2n(loaded, options));
    return loaded.annotation == SwfAnnotation::kMemory
               ? annotated_instance(records, name, options.conventions, options.memory)
               : swf_instance(records, name, options.conventions, options.processors);
  });
}

Result<SwfWorkload> load_sacct(std::string_view text, const std::string& name, const LoadOptions& options,
                               Loaded& loaded) {
  loaded.was_sacct = true;
  const Result<SacctLog> log = parse_sacct(text, loaded.source, {options.swf.lenient});
  if (!log) return tl::unexpected(log.error());
  auto workload = sacct_instance(*log, name, options.sacct);
  if (!workload) return workload;
  auto machine = machine_by(*log, options.sacct);
  if (!machine) return tl::unexpected(std::move(machine).error());
  loaded.cores = machine->shape.cores;
  loaded.memory_mib = machine->shape.memory_mib;
  loaded.kinds = std::move(machine->kinds);
  loaded.by_week = options.weeks.value_or(false);
  loaded.first_submission = log->jobs.front().submit;
  auto guessed = options.sacct.kinds.empty() ? describe_guess(*log, options.sacct.shape) : Result<std::string>();
  if (!guessed) return tl::unexpected(std::move(guessed).error());
  if (!guessed->empty()) loaded.notes.push_back(*std::move(guessed));
  if (std::string licences = describe_licences(*log, options.sacct.licences); !licences.empty()) {
    loaded.notes.push_back(std::move(licences));
  }
  return workload;
}

Result<Loaded> load_traces(std::string_view text, const LoadOptions& options, Loaded loaded) {
  auto instances = parse_traces(text, loaded.source);
  if (!instances) return tl::unexpected(std::move(instances).error());
  loaded.instances = *std::move(instances);
  if (options.memory_model) {
    for (Instance& instance : loaded.instances) draw_memory(instance, *options.memory_model);
  }
  return loaded;
}

}  // namespace

Result<Loaded> load_instances_from_text(std::string_view text, const std::string& source, const LoadOptions& options) {
  Loaded loaded;
  loaded.source = source_name(source);
  if (is_trace_text(text)) return load_traces(text, options, std::move(loaded));
  const std::string name = options.name.empty() ? name_from_source(source) : options.name;
  loaded.was_swf = !is_sacct_text(text);
  auto workload = loaded.was_swf ? load_swf(text, name, options, loaded) : load_sacct(text, name, options, loaded);
  if (!workload) return tl::unexpected(std::move(workload).error());
  loaded.report = std::move(workload->report);
  if (options.memory_model) {
    MemoryModel model = *options.memory_model;
    if (loaded.was_swf && loaded.annotation == SwfAnnotation::kProcessors) model.cores = options.processors.cores;
    draw_memory(workload->instance, model);
  }
  if (!loaded.by_week) {
    loaded.instances.push_back(std::move(workload->instance));
    return loaded;
  }
  auto weeks = split_weeks(workload->instance, name, options.week_length);
  if (!weeks) return tl::unexpected(std::move(weeks).error());
  loaded.instances = *std::move(weeks);
  return loaded;
}

Result<Loaded> load_instances(const std::string& source, const LoadOptions& options) {
  return read_text(source, options.input).and_then([&](const Text& text) {
    return load_instances_from_text(text, source, options);
  });
}

}  // namespace dfrs::sim
