// SPDX-License-Identifier: GPL-2.0-or-later
// Compresses a text with libarchive, so that the readers' tests need no programs.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <string>

namespace dfrs::sim {

inline std::string compressed(const std::string& text, int (*add_filter)(struct archive*)) {
  std::string out(text.size() + 4096, '\0');
  std::size_t used = 0;
  struct archive* const writer = archive_write_new();
  EXPECT_EQ(add_filter(writer), ARCHIVE_OK);
  archive_write_set_format_raw(writer);
  archive_write_set_bytes_in_last_block(writer, 1);  // no padding after the compressed data
  EXPECT_EQ(archive_write_open_memory(writer, out.data(), out.size(), &used), ARCHIVE_OK);
  struct archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
  EXPECT_EQ(archive_write_data(writer, text.data(), text.size()), static_cast<la_ssize_t>(text.size()));
  archive_entry_free(entry);
  EXPECT_EQ(archive_write_close(writer), ARCHIVE_OK);
  archive_write_free(writer);
  out.resize(used);
  return out;
}

}  // namespace dfrs::sim
