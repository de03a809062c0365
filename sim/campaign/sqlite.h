// SPDX-License-Identifier: GPL-2.0-or-later
// The part of SQLite that the store of results needs, with our errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/errors.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dfrs::sim {

class Statement {
 public:
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;

  /// Parameters count from 1. Text and numbers are copied. An error is that of the next step.
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::int64_t value);
  /// Steps to the next row; false if there is none. Columns may be read until the next call. Errors: those of Database.
  Result<bool> step();
  /// Runs a statement without rows and resets it for the next use.
  Result<void> run();
  void reset();

  std::string text(int column) const;
  std::int64_t integer(int column) const;
  /// Errors: the column is not a number.
  Result<double> number(int column) const;
  /// The same, but NaN for NULL, which is how SQLite keeps NaN.
  Result<double> number_or_nan(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(class Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}
  Statement& bound(int code);

  class Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::optional<Error> bind_error_;
};

/// One connection. Use it from one thread at a time.
///
/// Errors of all members: kExitInput if the file is damaged or not a database; kExitIo if it cannot be
/// opened, read or written (missing folder, no permission, disk full, locked for too long).
class Database {
 public:
  static constexpr std::chrono::milliseconds kPatience{60'000};

  /// Opens the file, or creates an empty one. `patience`: how long to wait while another process writes.
  static Result<Database> open(std::string path, std::chrono::milliseconds patience = kPatience);

  Result<void> execute(const std::string& sql);
  /// Turns on write-ahead logging, with which readers and the writer do not wait for each other.
  Result<void> write_ahead();
  /// The database must stay where it is.
  Result<Statement> prepare(const std::string& sql);
  /// The result of a PRAGMA or SELECT of one number.
  Result<std::int64_t> integer(const std::string& sql);

  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  Database(std::string path, std::chrono::milliseconds patience)
      : path_(std::move(path)), patience_(static_cast<int>(patience.count())) {}
  tl::unexpected<Error> failure(int code) const;

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
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(other.database_), open_(std::exchange(other.open_, false)) {}
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(database) {}

  Database& database_;
  bool open_ = true;
};

}  // namespace dfrs::sim
