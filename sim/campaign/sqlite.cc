// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>
#include <utility>

namespace dfrs::sim {
namespace {

constexpr int kRetry = 10;  // ms

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Statement& Statement::bound(int code) {
  if (code != SQLITE_OK && !bind_error_) bind_error_ = database_->failure(code).value();
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  return bound(
      sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
}

Statement& Statement::bind(int parameter, double value) {
  return bound(sqlite3_bind_double(statement_.get(), parameter, value));
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_.get(), parameter, value));
}

Result<bool> Statement::step() {
  if (bind_error_) return tl::unexpected(*std::exchange(bind_error_, std::nullopt));
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  // A reset keeps the error message, and the statement must not keep its locks.
  sqlite3_reset(statement_.get());
  return database_->failure(code);
}

Result<void> Statement::run() {
  return step().map([this](bool) { reset(); });
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

Result<double> Statement::number(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return database_->failure(SQLITE_CORRUPT);
  return sqlite3_column_double(statement_.get(), column);
}

Result<double> Statement::number_or_nan(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  return number(column);
}

Result<Database> Database::open(std::string path, std::chrono::milliseconds patience) {
  Database database(std::move(path), patience);
  sqlite3* connection = nullptr;
  // Each connection is used by one thread at a time, so SQLite needs no mutex.
  const int code = sqlite3_open_v2(database.path_.c_str(), &connection,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database.connection_.reset(connection);
  if (code != SQLITE_OK) return database.failure(code);
  sqlite3_busy_timeout(connection, database.patience_);
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Result<void> Database::write_ahead() {
  // SQLite does not wait here on its own, and several processes may create a store at the same moment.
  for (int waited = 0;; waited += kRetry) {
    const int code = sqlite3_exec(connection_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    if ((code & 0xff) != SQLITE_BUSY || waited >= patience_) return failure(code);
    sqlite3_sleep(kRetry);
  }
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return Statement(*this, statement);
}

Result<std::int64_t> Database::integer(const std::string& sql) {
  return prepare(sql).and_then([](Statement statement) {
    return statement.step().map([&](bool found) { return found ? statement.integer(0) : 0; });
  });
}

tl::unexpected<Error> Database::failure(int code) const {
  const std::string reason = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {  // the primary result code
    case SQLITE_NOTADB:
      return input_error(fmt::format("{}: not a store of results, nor a database at all; give another file", path_));
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // a table or column is missing
      return input_error(
          fmt::format("{}: the store of results is damaged ({}); remove the file to start again", path_, reason));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return io_error(
          fmt::format("{}: another process has kept this store locked for {} s ({})", path_, patience_ / 1000, reason));
    case SQLITE_NOMEM:
      return error(kExitInternal, "out of memory");  // as main() says of std::bad_alloc
    default:                                         // CANTOPEN, READONLY, PERM, FULL, IOERR, ...
      return io_error(fmt::format("{}: cannot read and write this store of results: {}", path_, reason));
  }
}

Result<Transaction> Transaction::begin(Database& database) {
  return database.execute("BEGIN IMMEDIATE").map([&] { return Transaction(database); });
}

Transaction::~Transaction() {
  // It may fail where SQLite has already rolled back, as it does when the disk is full.
  if (open_) (void)database_.execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  return database_.execute("COMMIT").map([this] { open_ = false; });
}

}  // namespace dfrs::sim
