// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fetch/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/errors.h"

namespace dfrs::sim {
namespace {

constexpr std::array<KnownLog, 3> kLogs{
    {{"CTC-SP2-1996-3.1-cln", "l_ctc_sp2/CTC-SP2-1996-3.1-cln.swf.gz",
      "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
      "Cornell Theory Center, IBM SP2, 338 processors, 77,222 jobs"},
     {"HPC2N-2002-2.1-cln", "l_hpc2n/HPC2N-2002-2.1-cln.swf.gz",
      "e56a97045de773f2a395acaf74cb04e6e3393b9c8c5ae12b542b5de93bb04838",
      "HPC2N, 120 dual-core nodes, 202,876 jobs with memory data: the log of the DFRS papers"},
     {"KTH-SP2-1996-2.1-cln", "l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz",
      "b6c3630089a85ecfdc6ddb12e76ae3bd81eecb8b80684b24946401626ae642fc",
      "KTH, IBM SP2, 100 processors, 28,475 jobs"}}};

}  // namespace

std::span<const KnownLog> known_logs() { return kLogs; }

Result<Fetched> fetch_log(std::string_view name, const FetchOptions& options, std::string base_url) {
  const auto found = std::find_if(kLogs.begin(), kLogs.end(), [&](const KnownLog& log) { return log.name == name; });
  if (found == kLogs.end()) {
    std::string names;
    for (const KnownLog& log : kLogs) names += fmt::format("{}{}", names.empty() ? "" : ", ", log.name);
    return usage_error(fmt::format("unknown log '{}'; known are {}", name, names));
  }
  if (!base_url.ends_with('/')) base_url += '/';
  return fetch_file(base_url + std::string(found->path), fmt::format("{}.swf.gz", found->name),
                    std::string(found->sha256), options);
}

}  // namespace dfrs::sim
