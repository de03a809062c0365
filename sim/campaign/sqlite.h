// SPDX-License-Identifier: GPL-2.0-or-later
// The part of SQLite that the store of results needs, with our errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dfrs::sim {

class Statement {
 public:
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;

  /// Parameters count from 1. Text and numbers are copied.
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::int64_t value);
  /// Steps to the next row; false if there is none. Columns may be read until the next call. Errors: those of Database.
  bool step();
  /// Runs a statement without rows and resets it for the next use.
  void run();
  void reset();

  std::string text(int column) const;
  std::int64_t integer(int column) const;
  /// Errors: InputError if the column is not a number.
  double number(int column) const;
  /// The same, but NaN for NULL, which is how SQLite keeps NaN.
  double number_or_nan(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(class Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}
  void check(int code) const;

  class Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One connection. Use it from one thread at a time.
///
/// Errors of all members: InputError if the file is damaged or not a database; IoError if it cannot be opened, read or
/// written (missing folder, no permission, disk full, locked for too long).
class Database {
 public:
  static constexpr std::chrono::milliseconds kPatience{60'000};

  /// Opens the file, or creates an empty one. `patience`: how long to wait while another process writes.
  explicit Database(std::string path, std::chrono::milliseconds patience = kPatience);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  /// Turns on write-ahead logging, with which readers and the writer do not wait for each other.
  void write_ahead();
  Statement prepare(const std::string& sql);
  /// The result of a PRAGMA or SELECT of one number.
  std::int64_t integer(const std::string& sql);

  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  [[noreturn]] void fail(int code) const;

  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::string path_;
  int patience_;  // ms
  std::unique_ptr<sqlite3, Close> connection_;
};

/// An atomic transaction during which no other process can write.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace dfrs::sim
