// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace dfrs::sim {
namespace {

constexpr std::int64_t kApplication = 0x64667273;  // "dfrs", which `file` shows for a store
constexpr std::int64_t kFormat = 1;

// Canonical, because two names of one file would give two lock files.
std::string canonical(const std::string& path) {
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

Result<std::unique_ptr<ResultStore>> ResultStore::open(const std::string& path, std::span<const StoreFact> facts,
                                                       Access access, std::chrono::milliseconds patience) {
  if (path.empty()) return usage_error("the name of the store is empty; give a file");
  Result<Database> database = Database::open(canonical(path), patience);
  if (!database) return tl::unexpected(std::move(database).error());
  Result<WorkerSlot> worker = WorkerSlot::take(database->path() + "-workers");
  if (!worker) return tl::unexpected(std::move(worker).error());
  std::unique_ptr<ResultStore> store(new ResultStore(*std::move(database), *std::move(worker)));
  if (auto prepared = store->prepare(facts, access); !prepared) return tl::unexpected(std::move(prepared).error());
  return store;
}

Result<void> ResultStore::prepare(std::span<const StoreFact> facts, Access access) {
  Result<void> done;
  // Before the first access: SQLite then keeps the index of the write-ahead log in private memory and not in a file
  // mapped by all users of the store, which works on one machine only.
  if (access == Access::exclusive) done = database_.execute("PRAGMA locking_mode = EXCLUSIVE");
  return std::move(done)
      .and_then([&] { return database_.write_ahead(); })
      // Commits do not wait for the disk.
      .and_then([&] { return database_.execute("PRAGMA synchronous = NORMAL"); })
      .and_then([&] { return make_or_check(facts); })
      // Of an earlier holder of this number, which is dead because the number was free.
      .and_then([&] { return drop_claims(); })
      .map([&] { opened_ = true; });
}

Result<void> ResultStore::drop_claims() {
  return statement("DELETE FROM claims WHERE worker = ?").and_then([&](Statement* remove) {
    return remove->bind(1, worker_.number()).run();
  });
}

ResultStore::~ResultStore() {
  if (opened_) (void)drop_claims();  // otherwise the next process sees that this worker is gone
}

Result<void> ResultStore::make_or_check(std::span<const StoreFact> facts) {
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return tl::unexpected(std::move(transaction).error());
  const Result<std::int64_t> tables_there = database_.integer("SELECT count(*) FROM sqlite_schema");
  if (!tables_there) return tl::unexpected(tables_there.error());
  if (*tables_there != 0) return check(facts);
  return make(facts).and_then([&] { return transaction->commit(); });
}

Result<void> ResultStore::make(std::span<const StoreFact> facts) {
  if (auto made = database_.execute(tables()); !made) return made;
  Result<Statement> insert = database_.prepare("INSERT INTO facts(name, value) VALUES(?, ?)");
  if (!insert) return tl::unexpected(std::move(insert).error());
  Result<void> done = insert->bind(1, std::string_view("program")).bind(2, program_version()).run();
  for (const StoreFact& fact : facts) {
    if (done) done = insert->bind(1, fact.name).bind(2, fact.value).run();
  }
  return done;
}

Result<void> ResultStore::check(std::span<const StoreFact> facts) {
  const Result<std::int64_t> application = database_.integer("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  if (*application != kApplication) {
    return input_error(fmt::format("{}: a database, but not a store of results; give another file", database_.path()));
  }
  const Result<std::int64_t> format = database_.integer("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  if (*format != kFormat) {
    return usage_error(fmt::format("{}: the store has format {}, this dfrs-sim reads {}; give another file",
                                   database_.path(), *format, kFormat));
  }
  Result<Statement> quick_check = database_.prepare("PRAGMA quick_check(1)");
  if (!quick_check) return tl::unexpected(std::move(quick_check).error());
  const Result<bool> found = quick_check->step();
  if (!found) return tl::unexpected(found.error());
  if (!*found || quick_check->text(0) != "ok") {
    return input_error(fmt::format("{}: the store of results is damaged ({}); remove the file to start again",
                                   database_.path(), quick_check->text(0)));
  }
  quick_check->reset();
  return check_program().and_then([&] { return check_facts(facts); });
}

Result<void> ResultStore::check_program() {
  Result<Statement> select = database_.prepare("SELECT value FROM facts WHERE name = 'program'");
  if (!select) return tl::unexpected(std::move(select).error());
  const Result<bool> found = select->step();
  if (!found) return tl::unexpected(found.error());
  const std::string there = *found ? select->text(0) : std::string("an unknown program");
  if (there == program_version()) return {};
  return usage_error(
      fmt::format("{}: the store was made by {}, this is {}; their results may differ: finish it with that program, or "
                  "give another file",
                  database_.path(), there, program_version()));
}

Result<void> ResultStore::check_facts(std::span<const StoreFact> facts) {
  Result<Statement> select =
      database_.prepare("SELECT name, value FROM facts WHERE name <> 'program' ORDER BY position");
  if (!select) return tl::unexpected(std::move(select).error());
  const auto refuse = [&](const std::string& name, const std::string& there, const std::string& here) {
    return usage_error(fmt::format("{}: the store is of something else, with other {}: {}; give another file",
                                   database_.path(), name, difference(there, here)));
  };
  for (const StoreFact& fact : facts) {
    const Result<bool> found = select->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return refuse(fact.name, "", fact.value);
    if (select->text(0) != fact.name) return refuse("facts", select->text(0), fact.name);
    if (select->text(1) != fact.value) return refuse(fact.name, select->text(1), fact.value);
  }
  const Result<bool> more = select->step();
  if (!more) return tl::unexpected(more.error());
  if (*more) return refuse(select->text(0), select->text(1), "");
  return {};
}

Result<Statement*> ResultStore::statement(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  return database_.prepare(sql).map(
      [&](Statement&& prepared) { return &statements_.emplace(sql, std::move(prepared)).first->second; });
}

Result<std::int64_t> ResultStore::settings_id(std::string_view settings) {
  const auto known = settings_.find(settings);
  if (known != settings_.end()) return known->second;
  const Result<Statement*> insert = statement("INSERT OR IGNORE INTO settings(text) VALUES(?)");
  if (!insert) return tl::unexpected(insert.error());
  if (auto done = (*insert)->bind(1, settings).run(); !done) return tl::unexpected(std::move(done).error());
  const Result<Statement*> select = statement("SELECT id FROM settings WHERE text = ?");
  if (!select) return tl::unexpected(select.error());
  const Result<bool> found = (*select)->bind(1, settings).step();
  if (!found) return tl::unexpected(found.error());
  const std::int64_t id = *found ? (*select)->integer(0) : -1;
  (*select)->reset();
  settings_.emplace(settings, id);
  return id;
}

Result<std::optional<ResultRow>> ResultStore::find(const SimulationKey& key) {
  const std::lock_guard lock(mutex_);
  static const std::string sql =
      fmt::format("SELECT instance, jobs{} FROM results WHERE fingerprint = ? AND algorithm = ? AND settings = ?",
                  number_columns());
  const Result<Statement*> prepared = statement(sql);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<std::int64_t> settings = settings_id(key.settings);
  if (!settings) return tl::unexpected(settings.error());
  Statement& select = **prepared;
  const Result<bool> found = select.bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, *settings).step();
  if (!found) return tl::unexpected(found.error());
  std::optional<ResultRow> row;
  if (*found) {
    row.emplace();
    row->instance = select.text(0);
    row->algorithm = key.algorithm;
    row->jobs = static_cast<std::size_t>(select.integer(1));
    int column = 2;
    for (const ResultColumn& number : result_columns()) {
      const Result<double> value = select.number_or_nan(column++);
      if (!value) return tl::unexpected(value.error());
      number.of(*row) = *value;
    }
  }
  select.reset();
  return row;
}

Result<bool> ResultStore::has(const SimulationKey& key, std::int64_t settings) {
  const Result<Statement*> select =
      statement("SELECT 1 FROM results WHERE fingerprint = ? AND algorithm = ? AND settings = ?");
  if (!select) return tl::unexpected(select.error());
  return (*select)->bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, settings).step().map([&](bool found) {
    (*select)->reset();
    return found;
  });
}

// The number of the worker that has claimed it; -1: nobody.
Result<std::int64_t> ResultStore::worker_on(const SimulationKey& key, std::int64_t settings) {
  const Result<Statement*> select =
      statement("SELECT worker FROM claims WHERE fingerprint = ? AND algorithm = ? AND settings = ?");
  if (!select) return tl::unexpected(select.error());
  return (*select)->bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, settings).step().map([&](bool found) {
    const std::int64_t worker = found ? (*select)->integer(0) : -1;
    (*select)->reset();
    return worker;
  });
}

Result<ResultStore::Claim> ResultStore::claim(const SimulationKey& key) {
  const std::lock_guard lock(mutex_);
  const Result<std::int64_t> settings = settings_id(key.settings);
  if (!settings) return tl::unexpected(settings.error());
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return tl::unexpected(std::move(transaction).error());
  const Result<bool> finished = has(key, *settings);
  if (!finished) return tl::unexpected(finished.error());
  if (*finished) return Claim::finished;
  // Inside the transaction, so that a new process with the number of a dead one cannot claim meanwhile.
  const Result<bool> alive = worker_on(key, *settings).and_then([&](std::int64_t worker) {
    return worker >= 0 ? worker_.alive(worker) : false;
  });
  if (!alive) return tl::unexpected(alive.error());
  if (*alive) return Claim::elsewhere;
  return statement("INSERT OR REPLACE INTO claims(fingerprint, algorithm, settings, worker) VALUES(?, ?, ?, ?)")
      .and_then([&](Statement* insert) {
        return insert->bind(1, key.fingerprint)
            .bind(2, key.algorithm)
            .bind(3, *settings)
            .bind(4, worker_.number())
            .run();
      })
      .and_then([&] { return transaction->commit(); })
      .map([] { return Claim::mine; });
}

Result<void> ResultStore::finish(const SimulationKey& key, const ResultRow& row) {
  const std::lock_guard lock(mutex_);
  const Result<std::int64_t> settings = settings_id(key.settings);
  if (!settings) return tl::unexpected(settings.error());
  static const std::string sql = "INSERT" + insert_result();
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return tl::unexpected(std::move(transaction).error());
  const Result<Statement*> prepared = statement(sql);
  if (!prepared) return tl::unexpected(prepared.error());
  Statement& insert = **prepared;
  insert.bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, *settings).bind(4, row.instance);
  insert.bind(5, static_cast<std::int64_t>(row.jobs));
  ResultRow copy = row;
  int parameter = 6;
  for (const ResultColumn& number : result_columns()) insert.bind(parameter++, number.of(copy));
  static const ResultOrigin unknown;
  const ResultOrigin& origin = row.origin == nullptr ? unknown : *row.origin;
  for (const OriginColumn& column : origin_columns()) insert.bind(parameter++, std::string_view(origin.*column.field));
  return insert.run()
      .and_then(
          [&] { return statement("DELETE FROM claims WHERE fingerprint = ? AND algorithm = ? AND settings = ?"); })
      .and_then([&](Statement* remove) {
        return remove->bind(1, key.fingerprint).bind(2, key.algorithm).bind(3, *settings).run();
      })
      .and_then([&] { return transaction->commit(); });
}

Result<void> ResultStore::release(const SimulationKey& key) {
  const std::lock_guard lock(mutex_);
  const Result<std::int64_t> settings = settings_id(key.settings);
  if (!settings) return tl::unexpected(settings.error());
  return statement("DELETE FROM claims WHERE fingerprint = ? AND algorithm = ? AND settings = ? AND worker = ?")
      .and_then([&](Statement* remove) {
        return remove->bind(1, key.fingerprint)
            .bind(2, key.algorithm)
            .bind(3, *settings)
            .bind(4, worker_.number())
            .run();
      });
}

Result<std::optional<StretchBounds>> ResultStore::find_bounds(std::string_view fingerprint, Seconds stretch_floor) {
  const std::lock_guard lock(mutex_);
  const Result<Statement*> prepared =
      statement("SELECT divisible, ls1 FROM bounds WHERE fingerprint = ? AND stretch_floor = ?");
  if (!prepared) return tl::unexpected(prepared.error());
  Statement& select = **prepared;
  const Result<bool> found = select.bind(1, fingerprint).bind(2, stretch_floor).step();
  if (!found) return tl::unexpected(found.error());
  std::optional<StretchBounds> bounds;
  if (*found) {
    const Result<double> divisible = select.number(0);
    if (!divisible) return tl::unexpected(divisible.error());
    const Result<double> ls1 = select.number(1);
    if (!ls1) return tl::unexpected(ls1.error());
    bounds = {*divisible, *ls1};
  }
  select.reset();
  return bounds;
}

Result<void> ResultStore::put_bounds(std::string_view fingerprint, Seconds stretch_floor, const StretchBounds& bounds) {
  const std::lock_guard lock(mutex_);
  return statement("INSERT OR IGNORE INTO bounds(fingerprint, stretch_floor, divisible, ls1) VALUES(?, ?, ?, ?)")
      .and_then([&](Statement* insert) {
        return insert->bind(1, fingerprint).bind(2, stretch_floor).bind(3, bounds.divisible).bind(4, bounds.ls1).run();
      });
}

Result<void> ResultStore::take_in(const std::string& path, std::span<const StoreFact> facts) {
  const auto other = open(path, facts, Access::exclusive, std::chrono::milliseconds(0));
  if (!other) return tl::unexpected(other.error());
  const std::scoped_lock lock(mutex_, (*other)->mutex_);
  Database& from = (*other)->database_;
  // Before the transaction, because the cached ids of settings must stay valid if it fails.
  if (auto copied = copy_settings(from); !copied) return copied;
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return tl::unexpected(std::move(transaction).error());
  return copy_results(from).and_then([&] { return copy_bounds(from); }).and_then([&] { return transaction->commit(); });
}

Result<void> ResultStore::copy_settings(Database& other) {
  Result<Statement> settings = other.prepare("SELECT text FROM settings");
  if (!settings) return tl::unexpected(std::move(settings).error());
  for (;;) {
    const Result<bool> found = settings->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return {};
    if (auto id = settings_id(settings->text(0)); !id) return tl::unexpected(std::move(id).error());
  }
}

Result<void> ResultStore::copy_results(Database& other) {
  Result<Statement> results = other.prepare(
      fmt::format("SELECT fingerprint, algorithm, text, instance, jobs{}{} FROM results JOIN settings ON id = settings",
                  number_columns(), origin_names()));
  if (!results) return tl::unexpected(std::move(results).error());
  Result<Statement> insert = database_.prepare("INSERT OR IGNORE" + insert_result());
  if (!insert) return tl::unexpected(std::move(insert).error());
  const int numbers = static_cast<int>(result_columns().size());
  const int all = numbers + static_cast<int>(origin_columns().size());
  for (;;) {
    const Result<bool> found = results->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return {};
    const Result<std::int64_t> settings = settings_id(results->text(2));
    if (!settings) return tl::unexpected(settings.error());
    insert->bind(1, results->text(0)).bind(2, results->text(1)).bind(3, *settings);
    insert->bind(4, results->text(3)).bind(5, results->integer(4));
    for (int k = 0; k < numbers; ++k) {
      const Result<double> value = results->number_or_nan(5 + k);
      if (!value) return tl::unexpected(value.error());
      insert->bind(6 + k, *value);
    }
    for (int k = numbers; k < all; ++k) insert->bind(6 + k, results->text(5 + k));
    if (auto done = insert->run(); !done) return done;
  }
}

Result<void> ResultStore::copy_bounds(Database& other) {
  Result<Statement> bounds = other.prepare("SELECT fingerprint, stretch_floor, divisible, ls1 FROM bounds");
  if (!bounds) return tl::unexpected(std::move(bounds).error());
  Result<Statement> keep =
      database_.prepare("INSERT OR IGNORE INTO bounds(fingerprint, stretch_floor, divisible, ls1) VALUES(?, ?, ?, ?)");
  if (!keep) return tl::unexpected(std::move(keep).error());
  for (;;) {
    const Result<bool> found = bounds->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return {};
    keep->bind(1, bounds->text(0));
    for (int column = 1; column <= 3; ++column) {
      const Result<double> value = bounds->number(column);
      if (!value) return tl::unexpected(value.error());
      keep->bind(column + 1, *value);
    }
    if (auto done = keep->run(); !done) return done;
  }
}

}  // namespace dfrs::sim
