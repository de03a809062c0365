// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/errors.h"

namespace dfrs::sim {
namespace {

constexpr std::int64_t kApplication = 0x64667273;  // "dfrs", which `file` shows for a store
constexpr std::int64_t kFormat = 1;

// Canonical, because two names of one file would give two lock files.
std::string canonical(const std::string& path) {
  if (path.empty()) throw UsageError("the name of the store is empty; give a file");
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return error ? path : whole.string();
}

std::string number_columns() {
  std::string names;
  for (const ResultColumn& column : result_columns()) names += fmt::format(", {}", column.name);
  return names;
}

// What made a result, for readers of the file. Results are found by fingerprint and settings.
std::string origin_names() {
  std::string names;
  for (const OriginColumn& column : origin_columns()) names += fmt::format(", {}", column.name);
  return names;
}

std::string insert_result() {
  std::string marks;
  for (std::size_t k = 0; k < result_columns().size() + origin_columns().size(); ++k) marks += ", ?";
  return fmt::format(" INTO results(fingerprint, algorithm, settings, instance, jobs{}{}) VALUES(?, ?, ?, ?, ?{})",
                     number_columns(), origin_names(), marks);
}

// Numeric columns have no type, so that SQLite keeps every bit.
std::string tables() {
  return fmt::format(
      "CREATE TABLE facts(position INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL);"
      "CREATE TABLE settings(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
      "CREATE TABLE bounds(fingerprint TEXT, stretch_floor, divisible, ls1, PRIMARY KEY(fingerprint, stretch_floor))"
      " WITHOUT ROWID;"
      "CREATE TABLE results(fingerprint TEXT, algorithm TEXT, settings INTEGER, instance TEXT, jobs INTEGER{}{}, "
      "PRIMARY KEY(fingerprint, algorithm, settings));"
      "CREATE TABLE claims(fingerprint TEXT, algorithm TEXT, settings INTEGER, worker INTEGER NOT NULL, "
      "PRIMARY KEY(fingerprint, algorithm, settings)) WITHOUT ROWID;"
      "PRAGMA application_id = {};"
      "PRAGMA user_version = {};",
      number_columns(), origin_names(), kApplication, kFormat);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Describes how two values of a fact differ.
std::string difference(const std::string& there, const std::string& here) {
  const std::vector<std::string_view> theirs = lines_of(there);
  const std::vector<std::string_view> ours = lines_of(here);
  if (theirs.size() <= 1 && ours.size() <= 1) {
    const auto only = [](const auto& lines) { return lines.empty() ? std::string_view() : lines.front(); };
    return fmt::format("'{}' in the store, '{}' here", only(theirs), only(ours));
  }
  std::string counts;
  if (theirs.size() != ours.size()) counts = fmt::format("{} in the store, {} here; ", theirs.size(), ours.size());
  const auto [at_theirs, at_ours] = std::mismatch(theirs.begin(), theirs.end(), ours.begin(), ours.end());
  const auto shown = [](auto at, const auto& lines) {
    return at == lines.end() ? std::string("nothing more") : fmt::format("'{}'", *at);
  };
  return counts + fmt::format("the first that differs is {} in the store and {} here", shown(at_theirs, theirs),
                              shown(at_ours, ours));
}

}  // namespace

std::vector<StoreFact> campaign_facts(std::string_view settings, std::span<const Instance> instances,
                                      std::span<const std::string> fingerprints) {
  std::string list;
  for (std::size_t k = 0; k < instances.size(); ++k) {
    // 16 digits suffice to compare instances and to tell them apart in a message; results have all digits.
    list += fmt::format("{} {:.16}\n", instances[k].name, fingerprints[k]);
  }
  return {{"command", "compare"}, {"options", std::string(settings)}, {"instances", std::move(list)}};
}

ResultStore::ResultStore(const std::string& path, std::span<const StoreFact> facts, Access access,
                         std::chrono::milliseconds patience)
    : database_(canonical(path), patience), worker_(database_.path() + "-workers") {
  // Before the first access: SQLite then keeps the index of the write-ahead log in private memory and not in a file
  // mapped by all users of the store, which works on one machine only.
  if (access == Access::exclusive) database_.execute("PRAGMA locking_mode = EXCLUSIVE");
  database_.write_ahead();
  database_.execute("PRAGMA synchronous = NORMAL");  // commits do not wait for the disk
  make_or_check(facts);
  // Drops claims of an earlier holder of this number, which is dead because the number was free.
  Statement remove = database_.prepare("DELETE FROM claims WHERE worker = ?");
  remove.bind(1, worker_.number()).run();
}

ResultStore::~ResultStore() {
  try {
    Statement& remove = statement("DELETE FROM claims WHERE worker = ?");
    remove.bind(1, worker_.number()).run();
  } catch (...) {
    // The next process sees that this worker is gone.
  }
}

void ResultStore::make_or_check(std::span<const StoreFact> facts) {
  Transaction transaction(database_);
  if (database_.integer("SELECT count(*) FROM sqlite_schema") == 0) {
    database_.execute(tables());
    Statement insert = database_.prepare("INSERT INTO facts(name, value) VALUES(?, ?)");
    insert.bind(1, std::string_view("program")).bind(2, program_version()).run();
    for (const StoreFact& fact : facts) insert.bind(1, fact.name).bind(2, fact.value).run();
    transaction.commit();
    return;
  }
  if (database_.integer("PRAGMA application_id") != kApplication) {
    throw InputError(fmt::format("{}: a database, but not a store of results; give another file", database_.path()));
  }
  if (const std::int64_t format = database_.integer("PRAGMA user_version"); format != kFormat) {
    throw UsageError(fmt::format("{}: the store has format {}, this dfrs-sim reads {}; give another file",
                                 database_.path(), format, kFormat));
  }
  Statement check = database_.prepare("PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok") {
    throw InputError(fmt::format("{}: the store of results is damaged ({}); remove the file to start again",
                                 database_.path(), check.text(0)));
  }
  check.reset();
  check_program();
  check_facts(facts);
}

void ResultStore::check_program() {
  Statement select = database_.prepare("SELECT value FROM facts WHERE name = 'program'");
  const std::string there = select.step() ? select.text(0) : std::string("an unknown program");
  if (there == program_version()) return;
  throw UsageError(
      fmt::format("{}: the store was made by {}, this is {}; their results may differ: finish it with that program, or "
                  "give another file",
                  database_.path(), there, program_version()));
}

void ResultStore::check_facts(std::span<const StoreFact> facts) {
  Statement select = database_.prepare("SELECT name, value FROM facts WHERE name <> 'program' ORDER BY position");
  const auto refuse = [&](const std::string& name, const std::string& there, const std::string& here) {
    throw UsageError(fmt::format("{}: the store is of something else, with other {}: {}; give another file",
                                 database_.path(), name, difference(there, here)));
  };
  for (const StoreFact& fact : facts) {
    if (!select.step()) refuse(fact.name, "", fact.value);
    if (select.text(0) != fact.name) refuse("facts", select.text(0), fact.name);
    if (select.text(1) != fact.value) refuse(fact.name, select.text(1), fact.value);
  }
  if (select.step()) refuse(select.text(0), select.text(1), "");
}

Statement& ResultStore::statement(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  return statements_.emplace(sql, database_.prepare(sql)).first->second;
}

std::int64_t ResultStore::settings_id(std::string_view settings) {
  const auto known = settings_.find(settings);
  if (known != settings_.end()) return known->second;
  statement("INSERT OR IGNORE INTO settings(text) VALUES(?)").bind(1, settings).run();
  Statement& select = statement("SELECT id FROM settings WHERE text = ?");
  const std::int64_t id = select.bind(1, settings).step() ? select.integer(0) : -1;
  select.reset();
  settings_.emplace(settings, id);
  return id;
}

std::optional<ResultRow> ResultStore::find(const SimulationKey& key) {
  const std::lock_guard lock(mutex_);
  static const std::string sql =
      fmt::format("SELECT instance, jobs{} FROM results WHERE fingerprint = ? AND algorithm = ? AND settings = ?",
                  number_columns());
  Statement& select = statement(sql);
  select.bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, settings_id(key.settings));
  std::optional<ResultRow> row;
  if (select.step()) {
    row.emplace();
    row->instance = select.text(0);
    row->algorithm = key.algorithm;
    row->jobs = static_cast<std::size_t>(select.integer(1));
    int column = 2;
    for (const ResultColumn& number : result_columns()) number.of(*row) = select.number_or_nan(column++);
  }
  select.reset();
  return row;
}

bool ResultStore::has(const SimulationKey& key, std::int64_t settings) {
  Statement& select = statement("SELECT 1 FROM results WHERE fingerprint = ? AND algorithm = ? AND settings = ?");
  const bool found = select.bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, settings).step();
  select.reset();
  return found;
}

ResultStore::Claim ResultStore::claim(const SimulationKey& key) {
  const std::lock_guard lock(mutex_);
  const std::int64_t settings = settings_id(key.settings);
  Transaction transaction(database_);
  if (has(key, settings)) return Claim::finished;
  Statement& select = statement("SELECT worker FROM claims WHERE fingerprint = ? AND algorithm = ? AND settings = ?");
  select.bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, settings);
  const std::int64_t worker = select.step() ? select.integer(0) : -1;  // -1: nobody
  select.reset();
  // Inside the transaction, so that a new process with the number of a dead one cannot claim meanwhile.
  if (worker >= 0 && worker_.alive(worker)) return Claim::elsewhere;
  statement("INSERT OR REPLACE INTO claims(fingerprint, algorithm, settings, worker) VALUES(?, ?, ?, ?)")
      .bind(1, key.fingerprint)
      .bind(2, key.algorithm)
      .bind(3, settings)
      .bind(4, worker_.number())
      .run();
  transaction.commit();
  return Claim::mine;
}

void ResultStore::finish(const SimulationKey& key, const ResultRow& row) {
  const std::lock_guard lock(mutex_);
  const std::int64_t settings = settings_id(key.settings);
  static const std::string sql = "INSERT" + insert_result();
  Transaction transaction(database_);
  Statement& insert = statement(sql);
  insert.bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, settings).bind(4, row.instance);
  insert.bind(5, static_cast<std::int64_t>(row.jobs));
  ResultRow copy = row;
  int parameter = 6;
  for (const ResultColumn& number : result_columns()) insert.bind(parameter++, number.of(copy));
  static const ResultOrigin unknown;
  const ResultOrigin& origin = row.origin == nullptr ? unknown : *row.origin;
  for (const OriginColumn& column : origin_columns()) insert.bind(parameter++, std::string_view(origin.*column.field));
  insert.run();
  statement("DELETE FROM claims WHERE fingerprint = ? AND algorithm = ? AND settings = ?")
      .bind(1, key.fingerprint)
      .bind(2, key.algorithm)
      .bind(3, settings)
      .run();
  transaction.commit();
}

void ResultStore::release(const SimulationKey& key) {
  const std::lock_guard lock(mutex_);
  statement("DELETE FROM claims WHERE fingerprint = ? AND algorithm = ? AND settings = ? AND worker = ?")
      .bind(1, key.fingerprint)
      .bind(2, key.algorithm)
      .bind(3, settings_id(key.settings))
      .bind(4, worker_.number())
      .run();
}

std::optional<StretchBounds> ResultStore::find_bounds(std::string_view fingerprint, Seconds stretch_floor) {
  const std::lock_guard lock(mutex_);
  Statement& select = statement("SELECT divisible, ls1 FROM bounds WHERE fingerprint = ? AND stretch_floor = ?");
  std::optional<StretchBounds> bounds;
  if (select.bind(1, fingerprint).bind(2, stretch_floor).step()) {
    bounds.emplace();
    bounds->divisible = select.number(0);
    bounds->ls1 = select.number(1);
  }
  select.reset();
  return bounds;
}

void ResultStore::put_bounds(std::string_view fingerprint, Seconds stretch_floor, const StretchBounds& bounds) {
  const std::lock_guard lock(mutex_);
  statement("INSERT OR IGNORE INTO bounds(fingerprint, stretch_floor, divisible, ls1) VALUES(?, ?, ?, ?)")
      .bind(1, fingerprint)
      .bind(2, stretch_floor)
      .bind(3, bounds.divisible)
      .bind(4, bounds.ls1)
      .run();
}

void ResultStore::take_in(const std::string& path, std::span<const StoreFact> facts) {
  ResultStore other(path, facts, Access::exclusive, std::chrono::milliseconds(0));
  const std::scoped_lock lock(mutex_, other.mutex_);
  // Before the transaction, because the cached ids of settings must stay valid if it fails.
  Statement settings = other.database_.prepare("SELECT text FROM settings");
  while (settings.step()) settings_id(settings.text(0));

  Transaction transaction(database_);
  Statement results = other.database_.prepare(
      fmt::format("SELECT fingerprint, algorithm, text, instance, jobs{}{} FROM results JOIN settings ON id = settings",
                  number_columns(), origin_names()));
  Statement insert = database_.prepare("INSERT OR IGNORE" + insert_result());
  while (results.step()) {
    insert.bind(1, results.text(0)).bind(2, results.text(1)).bind(3, settings_id(results.text(2)));
    insert.bind(4, results.text(3)).bind(5, results.integer(4));
    const int numbers = static_cast<int>(result_columns().size());
    const int all = numbers + static_cast<int>(origin_columns().size());
    for (int k = 0; k < numbers; ++k) insert.bind(6 + k, results.number_or_nan(5 + k));
    for (int k = numbers; k < all; ++k) insert.bind(6 + k, results.text(5 + k));
    insert.run();
  }
  Statement bounds = other.database_.prepare("SELECT fingerprint, stretch_floor, divisible, ls1 FROM bounds");
  Statement keep =
      database_.prepare("INSERT OR IGNORE INTO bounds(fingerprint, stretch_floor, divisible, ls1) VALUES(?, ?, ?, ?)");
  while (bounds.step()) {
    keep.bind(1, bounds.text(0)).bind(2, bounds.number(1)).bind(3, bounds.number(2)).bind(4, bounds.number(3)).run();
  }
  transaction.commit();
}

}  // namespace dfrs::sim
