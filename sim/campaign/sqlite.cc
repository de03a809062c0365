// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>
#include <utility>

#include "sim/errors.h"

namespace dfrs::sim {
namespace {

constexpr int kRetry = 10;  // ms

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  // A reset keeps the error message, and the statement must not keep its locks.
  sqlite3_reset(statement_.get());
  database_->fail(code);
}

void Statement::run() {
  step();
  reset();
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::number(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) database_->fail(SQLITE_CORRUPT);
  return sqlite3_column_double(statement_.get(), column);
}

double Statement::number_or_nan(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  return number(column);
}

Database::Database(std::string path, std::chrono::milliseconds patience)
    : path_(std::move(path)), patience_(static_cast<int>(patience.count())) {
  sqlite3* connection = nullptr;
  // Each connection is used by one thread at a time, so SQLite needs no mutex.
  const int code = sqlite3_open_v2(path_.c_str(), &connection,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(connection, patience_);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::write_ahead() {
  // SQLite does not wait here on its own, and several processes may create a store at the same moment.
  for (int waited = 0;; waited += kRetry) {
    const int code = sqlite3_exec(connection_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || waited >= patience_) fail(code);
    sqlite3_sleep(kRetry);
  }
}

Statement Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return Statement(*this, statement);
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::fail(int code) const {
  const std::string reason = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {  // the primary result code
    case SQLITE_NOTADB:
      throw InputError(fmt::format("{}: not a store of results, nor a database at all; give another file", path_));
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // a table or column is missing
      throw InputError(
          fmt::format("{}: the store of results is damaged ({}); remove the file to start again", path_, reason));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw IoError(
          fmt::format("{}: another process has kept this store locked for {} s ({})", path_, patience_ / 1000, reason));
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    default:  // CANTOPEN, READONLY, PERM, FULL, IOERR, ...
      throw IoError(fmt::format("{}: cannot read and write this store of results: {}", path_, reason));
  }
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (...) {
    // SQLite has already rolled back, as it does when the disk is full.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace dfrs::sim
