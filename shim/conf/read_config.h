// SPDX-License-Identifier: GPL-2.0-or-later
// Reads dfrs.conf, in the syntax of slurm.conf (key_values.h). Keys may be written in any case.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/conf/config.h"
#include "shim/conf/config_error.h"

namespace dfrs::shim {

/// A larger file is not read: it cannot be a dfrs.conf.
inline constexpr std::size_t kMaxConfigBytes = 1 << 20;

/// Reports all errors, not only the first: unknown keys, keys given twice, values out of range, rules for a partition
/// that is not managed. `file` only names the file in messages. Throws nothing but std::bad_alloc.
tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::string& file);

/// The content of a dfrs.conf. Error: the file cannot be read.
tl::expected<std::string, ConfigErrors> read_config_text(const std::string& path);

/// parse_config() of read_config_text().
tl::expected<Config, ConfigErrors> read_config(const std::string& path);

}  // namespace dfrs::shim
