// SPDX-License-Identifier: GPL-2.0-or-later
// A schedule as compact binary data, for the page (docs/reference/timeline.md).
#pragma once

#include <string>

#include "timeline/schedule.h"

namespace dfrs::timeline {

/// A JSON header and its columns of integers, not compressed. Times are in ms, yields in 1/100,000.
std::string encode_schedule(const Schedule& schedule);

/// Schedule::told as one text, jobs separated by the character 30 (record separator).
std::string encode_told(const Schedule& schedule);

/// Compressed by zlib's format and written in base64.
std::string compressed_base64(const std::string& data);

}  // namespace dfrs::timeline
