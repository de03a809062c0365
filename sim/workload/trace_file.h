// SPDX-License-Identifier: GPL-2.0-or-later
// The project's own format of annotated instances: text, exact, documented in docs/reference/trace-format.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// True if the first line that is not blank is "; dfrs-trace: ...".
bool is_trace_text(std::string_view text);

/// `instance` as text. Numbers have the shortest form that reads back as the same double, so parse_traces returns an
/// equal instance. `comments`: lines after the first. Errors: kExitUsage for a name that is empty, has surrounding
/// blanks or spans lines.
Result<std::string> format_trace(const Instance& instance, const std::vector<std::string>& comments = {});

/// The instances in `text`; each begins with its own "; dfrs-trace: 1" line, so files may be concatenated.
/// Strict. Errors (kExitInput naming source:line): wrong version or header, wrong number of fields, not a number, out
/// of range, a job number used twice, decreasing submit times, a job that can never run on the platform, no nodes, no
/// jobs. Linear in the text (n log n if job numbers do not increase).
Result<std::vector<Instance>> parse_traces(std::string_view text, const std::string& source);

}  // namespace dfrs::sim
