#include "history/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/digest.h"
#include "history/environment_name.h"
#include "history/profiles.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// With every change of a table or of SeriesPoint.
constexpr std::int64_t kVersion = 7;
/// A double's bytes show the byte order; a table made by another machine's tally is made anew.
constexpr double kLayout = 1.0 / 3;
constexpr std::size_t kPointsInRow = 128;

constexpr const char* kTables = R"sql(
CREATE TABLE layout(version INTEGER NOT NULL, point_bytes INTEGER NOT NULL, number BLOB NOT NULL);
CREATE TABLE run(id INTEGER PRIMARY KEY, suite TEXT NOT NULL, environment TEXT NOT NULL, processor TEXT NOT NULL, commit_id TEXT NOT NULL,
  started TEXT NOT NULL, file TEXT NOT NULL UNIQUE);
CREATE INDEX run_by_suite ON run(suite);
CREATE TABLE environment(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE basis(id INTEGER PRIMARY KEY, definition TEXT NOT NULL, iterations INTEGER NOT NULL,
  cache_sim INTEGER NOT NULL, branch_sim INTEGER NOT NULL, isolation TEXT NOT NULL,
  metric INTEGER NOT NULL, unit TEXT NOT NULL,
  UNIQUE(definition, iterations, cache_sim, branch_sim, isolation, metric, unit));
CREATE TABLE one_case(id INTEGER PRIMARY KEY, suite TEXT NOT NULL, name TEXT NOT NULL, language TEXT NOT NULL,
  series INTEGER NOT NULL, UNIQUE(suite, name, series));
CREATE TABLE series(of_case INTEGER NOT NULL, environment INTEGER NOT NULL, part INTEGER NOT NULL,
  points BLOB NOT NULL, PRIMARY KEY(of_case, environment, part)) WITHOUT ROWID;
CREATE TABLE profile(run INTEGER NOT NULL, of_case INTEGER NOT NULL, stem TEXT NOT NULL,
  PRIMARY KEY(run, of_case)) WITHOUT ROWID;
CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
)sql";

std::span<const std::byte> bytes_of(const double& number) { return std::as_bytes(std::span(&number, 1)); }

/// Points as a row has them: `run` and `basis` are ids of the index, `part` says nothing.
std::vector<SeriesPoint> points_of(std::span<const std::byte> bytes) {
  std::vector<SeriesPoint> points(bytes.size() / sizeof(SeriesPoint));
  // A row may be empty, and memcpy's arguments may not be null.
  if (!points.empty()) std::memcpy(points.data(), bytes.data(), points.size() * sizeof(SeriesPoint));
  return points;
}

bool is_ours(const SqlDatabase& database) {
  auto layout = database.prepare("SELECT version, point_bytes, number FROM layout");
  if (!layout) return false;
  const auto row = layout->step();
  return row && *row && layout->whole(0) == kVersion && layout->whole(1) == std::int64_t{sizeof(SeriesPoint)} &&
         std::ranges::equal(layout->blob(2), bytes_of(kLayout));
}

/// SQLite's own journal and lock files go with it.
void remove_database(const fs::path& path) {
  std::error_code code;
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(path.string() + suffix, code);
}

}  // namespace

Status HistoryIndex::create() {
  // What is lost with the power is made anew.
  if (auto set = database_.execute("PRAGMA synchronous = OFF"); !set) return set;
  if (is_ours(database_)) return {};
  if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
  if (is_ours(database_)) return database_.execute("COMMIT");
  auto made = database_.execute(kTables);
  if (made) {
    auto layout = database_.prepare("INSERT INTO layout VALUES(?, ?, ?)");
    made = layout ? layout->bind(kVersion).bind(std::int64_t{sizeof(SeriesPoint)}).bind_blob(bytes_of(kLayout)).run()
                  : Status(std::unexpected(layout.error()));
  }
  if (made) return database_.execute("COMMIT");
  // Where it fails there is no transaction any more.
  [[maybe_unused]] const Status undone = database_.execute("ROLLBACK");
  return made;
}

Result<HistoryIndex> HistoryIndex::open(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto database = SqlDatabase::open(path);
    if (database) {
      HistoryIndex index(*std::move(database));
      if (index.create()) return index;
      if (index.database_.is_busy()) break;  // It is another process's, and whole.
    }
    remove_database(path);
  }
  return in_memory();
}

Result<HistoryIndex> HistoryIndex::in_memory() {
  auto memory = SqlDatabase::open(":memory:");
  if (!memory) return std::unexpected(memory.error());
  HistoryIndex index(*std::move(memory));
  if (auto made = index.create(); !made) return std::unexpected(made.error());
  return index;
}

namespace {

/// The only column of every row.
Result<std::vector<std::string>> texts_of(Result<SqlStatement> rows) {
  if (!rows) return std::unexpected(rows.error());
  std::vector<std::string> texts;
  for (auto row = rows->step();; row = rows->step()) {
    if (!row) return std::unexpected(row.error());
    if (!*row) return texts;
    texts.push_back(rows->text(0));
  }
}

}  // namespace

Result<std::vector<std::string>> HistoryIndex::files() const {
  return texts_of(database_.prepare("SELECT file FROM run ORDER BY file"));
}

Result<std::vector<std::string>> HistoryIndex::suites() const {
  return texts_of(database_.prepare("SELECT DISTINCT suite FROM run ORDER BY suite"));
}

Result<std::vector<std::string>> HistoryIndex::cases(std::string_view suite) const {
  auto rows = database_.prepare("SELECT name FROM one_case WHERE suite = ? AND series = 0 ORDER BY id");
  if (rows) rows->bind(suite);
  return texts_of(std::move(rows));
}

Result<std::vector<IndexedRun>> HistoryIndex::runs(std::string_view suite) const {
  auto number = database_.prepare("SELECT count(*) FROM run WHERE suite = ?");
  auto rows = database_.prepare("SELECT id, environment, processor, commit_id, started, file FROM run WHERE suite = ?");
  if (!rows) return std::unexpected(rows.error());
  rows->bind(suite);
  std::vector<IndexedRun> runs;
  if (number && number->bind(suite).step()) runs.reserve(static_cast<std::size_t>(number->whole(0)));
  for (auto row = rows->step();; row = rows->step()) {
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
    runs.push_back({.id = rows->whole(0),
                    .environment = rows->text(1),
                    .processor = rows->text(2),
                    .commit = rows->text(3),
                    .started = rows->text(4),
                    .file = rows->text(5)});
  }
  std::ranges::sort(runs, {}, &IndexedRun::file);
  return runs;
}

Result<std::vector<IndexedProfile>> HistoryIndex::profiles(std::string_view suite) const {
  auto rows = database_.prepare(
      "SELECT profile.run, one_case.name, profile.stem FROM profile JOIN run ON run.id = profile.run "
      "JOIN one_case ON one_case.id = profile.of_case WHERE run.suite = ?");
  if (!rows) return std::unexpected(rows.error());
  rows->bind(suite);
  std::vector<IndexedProfile> profiles;
  for (auto row = rows->step();; row = rows->step()) {
    if (!row) return std::unexpected(row.error());
    if (!*row) return profiles;
    profiles.push_back({.run = rows->whole(0), .case_id = rows->text(1), .stem = rows->text(2)});
  }
}

Result<std::optional<std::string>> HistoryIndex::note(Note about) const {
  auto rows = database_.prepare("SELECT text FROM note WHERE id = ?");
  if (rows) rows->bind(std::int64_t{std::to_underlying(about)});
  auto texts = texts_of(std::move(rows));
  if (!texts) return std::unexpected(texts.error());
  if (texts->empty()) return std::nullopt;
  return std::move(texts->front());
}

Status HistoryIndex::keep(Note about, const std::string& text) {
  auto insert = database_.prepare("INSERT OR REPLACE INTO note VALUES(?, ?)");
  if (!insert) return std::unexpected(insert.error());
  database_.set_patient(false);
  auto done = insert->bind(std::int64_t{std::to_underlying(about)}).bind(text).run();
  database_.set_patient(true);
  return done;
}

Result<bool> HistoryIndex::knows_just(const std::vector<std::string>& files) {
  Digest digest;
  for (const std::string& file : files) digest.add(file);
  const std::string asked = digest.hex();
  const auto noted = note(Note::files);
  if (noted && *noted == asked) return true;
  // In one transaction: nobody changes the list between its being read and its being noted.
  if (auto begun = database_.execute("BEGIN"); !begun) return std::unexpected(begun.error());
  const auto known = this->files();
  const bool is_so = known && *known == files;
  [[maybe_unused]] const Status kept = is_so ? keep(Note::files, asked) : Status();
  if (!database_.execute("COMMIT")) roll_back();
  if (!known) return std::unexpected(known.error());
  return is_so;
}

Result<std::optional<std::string>> HistoryIndex::line() const { return note(Note::line); }

Status HistoryIndex::keep_line(const std::string& text) { return keep(Note::line, text); }

Status HistoryIndex::clear() {
  if (auto gone =
          database_.execute("DELETE FROM run; DELETE FROM environment; DELETE FROM basis; DELETE FROM one_case; "
                            "DELETE FROM profile; "
                            "DELETE FROM series");
      !gone)
    return gone;
  tails_.clear();
  case_ids_.clear();
  basis_ids_.clear();
  return {};
}

Status HistoryIndex::begin() {
  if (auto begun = database_.execute("BEGIN IMMEDIATE"); !begun) return begun;
  auto gone = database_.prepare("DELETE FROM note WHERE id = ?");
  if (!gone) return std::unexpected(gone.error());
  return gone->bind(std::int64_t{std::to_underlying(Note::files)}).run();
}

Status HistoryIndex::commit() {
  for (const auto& [of, tail] : tails_) {
    if (!tail.is_new) continue;
    if (auto written = write(of, tail); !written) return written;
  }
  tails_.clear();
  return database_.execute("COMMIT");
}

void HistoryIndex::roll_back() {
  tails_.clear();
  case_ids_.clear();
  basis_ids_.clear();
  // Where it fails there is no transaction any more.
  [[maybe_unused]] const Status undone = database_.execute("ROLLBACK");
}

Result<std::int64_t> HistoryIndex::case_id(const std::string& suite, const CaseDescription& one, SeriesOf of) {
  const std::tuple key(suite, one.id, of);
  const std::int64_t series = std::to_underlying(of);
  if (const auto known = case_ids_.find(key); known != case_ids_.end()) return known->second;
  auto select = database_.prepare("SELECT id FROM one_case WHERE suite = ? AND name = ? AND series = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(suite).bind(one.id).bind(series).step();
  if (!found) return std::unexpected(found.error());
  if (*found) return case_ids_[key] = select->whole(0);
  auto insert = database_.prepare("INSERT INTO one_case(suite, name, language, series) VALUES(?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  if (auto done = insert->bind(suite).bind(one.id).bind(one.language).bind(series).run(); !done)
    return std::unexpected(done.error());
  return case_ids_[key] = database_.last_id();
}

Result<std::int64_t> HistoryIndex::basis_id(const Basis& basis) {
  const CountTerms& terms = basis.terms;
  const std::tuple key(basis.definition, terms.iterations, terms.cache_sim, terms.branch_sim, terms.isolation,
                       basis.metric, basis.unit);
  if (const auto known = basis_ids_.find(key); known != basis_ids_.end()) return known->second;
  const auto bind = [&](SqlStatement& statement) -> SqlStatement& {
    return statement.bind(basis.definition)
        .bind(static_cast<std::int64_t>(terms.iterations))
        .bind(std::int64_t{terms.cache_sim})
        .bind(std::int64_t{terms.branch_sim})
        .bind(terms.isolation)
        .bind(std::int64_t{std::to_underlying(basis.metric)})
        .bind(basis.unit);
  };
  auto select = database_.prepare(
      "SELECT id FROM basis WHERE definition = ? AND iterations = ? AND cache_sim = ? AND branch_sim = ? AND "
      "isolation = ? AND metric = ? AND unit = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = bind(*select).step();
  if (!found) return std::unexpected(found.error());
  if (*found) return basis_ids_[key] = select->whole(0);
  auto insert = database_.prepare(
      "INSERT INTO basis(definition, iterations, cache_sim, branch_sim, isolation, metric, unit) "
      "VALUES(?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  if (auto done = bind(*insert).run(); !done) return std::unexpected(done.error());
  return basis_ids_[key] = database_.last_id();
}

Result<std::int64_t> HistoryIndex::environment_id(const std::string& name) {
  auto insert = database_.prepare("INSERT OR IGNORE INTO environment(name) VALUES(?)");
  if (!insert) return std::unexpected(insert.error());
  if (auto done = insert->bind(name).run(); !done) return std::unexpected(done.error());
  auto select = database_.prepare("SELECT id FROM environment WHERE name = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(name).step();
  if (!found) return std::unexpected(found.error());
  return select->whole(0);
}

/// The last row of a series, read once in a transaction.
Result<HistoryIndex::Tail*> HistoryIndex::tail_of(std::int64_t case_id, std::int64_t environment) {
  const auto [at, is_new] = tails_.try_emplace({case_id, environment});
  if (!is_new) return &at->second;
  auto select = database_.prepare(
      "SELECT part, points FROM series WHERE of_case = ? AND environment = ? ORDER BY part DESC LIMIT 1");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(case_id).bind(environment).step();
  if (!found) return std::unexpected(found.error());
  if (*found) at->second = {.part = select->whole(0), .points = points_of(select->blob(1)), .is_new = false};
  return &at->second;
}

Status HistoryIndex::write(const std::pair<std::int64_t, std::int64_t>& of, const Tail& tail) {
  auto insert = database_.prepare("INSERT OR REPLACE INTO series VALUES(?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  return insert->bind(of.first).bind(of.second).bind(tail.part).bind_blob(std::as_bytes(std::span(tail.points))).run();
}

Status HistoryIndex::add(std::int64_t case_id, std::int64_t environment, const SeriesPoint& point) {
  auto tail = tail_of(case_id, environment);
  if (!tail) return std::unexpected(tail.error());
  if ((*tail)->points.size() >= kPointsInRow) {
    if ((*tail)->is_new) {
      if (auto written = write({case_id, environment}, **tail); !written) return written;
    }
    **tail = {.part = (*tail)->part + 1, .points = {}, .is_new = false};
  }
  (*tail)->points.push_back(point);
  (*tail)->is_new = true;
  return {};
}

Status HistoryIndex::add(const std::string& file, const Record& record) {
  const std::string environment = environment_name_of(record);
  auto run = database_.prepare(
      "INSERT INTO run(suite, environment, processor, commit_id, started, file) VALUES(?, ?, ?, ?, ?, ?)");
  if (!run) return std::unexpected(run.error());
  run->bind(*record.suite)
      .bind(environment)
      .bind(processor_name_of(record))
      .bind(record.source->commit)
      .bind(record.started)
      .bind(file);
  if (auto done = run->run(); !done) return done;
  const auto run_id = static_cast<std::uint32_t>(database_.last_id());
  const auto environment_number = environment_id(environment);
  if (!environment_number) return std::unexpected(environment_number.error());
  for (const CaseRecord& one : record.cases) {
    for (auto& [series, point, its_basis] : points_of(record.settings, one)) {
      const auto of = case_id(*record.suite, one, series);
      if (!of) return std::unexpected(of.error());
      const auto basis = basis_id(its_basis);
      if (!basis) return std::unexpected(basis.error());
      point.run = run_id;
      point.basis = static_cast<std::uint32_t>(*basis);
      if (auto added = add(*of, *environment_number, point); !added) return added;
    }
    const std::string stem = one.profile ? stem_of_path(*one.profile) : std::string();
    if (stem.empty()) continue;
    auto profile = database_.prepare("INSERT OR REPLACE INTO profile VALUES(?, ?, ?)");
    if (!profile) return std::unexpected(profile.error());
    const auto of = case_id(*record.suite, one, SeriesOf::case_itself);
    if (!of) return std::unexpected(of.error());
    if (auto done = profile->bind(std::int64_t{run_id}).bind(*of).bind(stem).run(); !done) return done;
  }
  return {};
}

Status HistoryIndex::load_bases(History& history, std::vector<std::uint32_t>& places) const {
  auto rows = database_.prepare(
      "SELECT id, definition, iterations, cache_sim, branch_sim, isolation, metric, unit "
      "FROM basis ORDER BY id");
  if (!rows) return std::unexpected(rows.error());
  for (auto row = rows->step();; row = rows->step()) {
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    const auto id = static_cast<std::size_t>(rows->whole(0));
    if (places.size() <= id) places.resize(id + 1);
    places[id] = static_cast<std::uint32_t>(history.bases.size());
    history.bases.push_back({.definition = rows->text(1),
                             .terms = {.iterations = static_cast<std::uint64_t>(rows->whole(2)),
                                       .cache_sim = rows->whole(3) != 0,
                                       .branch_sim = rows->whole(4) != 0,
                                       .isolation = rows->text(5)},
                             .metric = static_cast<Metric>(rows->whole(6)),
                             .unit = rows->text(7)});
  }
}

namespace {

/// Puts points into the order of runs, and leaves one of each run: that of its first part which did not skip the case.
void leave_one_of_each_run(std::vector<SeriesPoint>& points) {
  const auto order = [](const SeriesPoint& point) {
    return std::tuple(point.run, point.status == CaseStatus::skipped, point.part);
  };
  if (!std::ranges::is_sorted(points, {}, order)) std::ranges::sort(points, {}, order);
  const auto again = std::ranges::unique(points, {}, &SeriesPoint::run);
  points.erase(again.begin(), again.end());
}

}  // namespace

Status HistoryIndex::load(std::string_view suite, const std::vector<std::optional<PlaceOfPart>>& places,
                          std::string_view only, History& history) const {
  std::vector<std::uint32_t> bases;
  if (auto loaded = load_bases(history, bases); !loaded) return loaded;
  auto cases = database_.prepare(
      only.empty() ? "SELECT id, name, language, series FROM one_case WHERE suite = ? ORDER BY id"
                   : "SELECT id, name, language, series FROM one_case WHERE suite = ? AND name = ? ORDER BY id");
  if (!cases) return std::unexpected(cases.error());
  cases->bind(suite);
  if (!only.empty()) cases->bind(only);
  auto rows = database_.prepare("SELECT points FROM series WHERE of_case = ? ORDER BY environment, part");
  if (!rows) return std::unexpected(rows.error());
  for (auto found = cases->step();; found = cases->step()) {
    if (!found) return std::unexpected(found.error());
    if (!*found) return {};
    CaseSeries series{
        .id = cases->text(1), .language = cases->text(2), .points = {}, .of = static_cast<SeriesOf>(cases->whole(3))};
    rows->bind(cases->whole(0));
    for (auto row = rows->step();; row = rows->step()) {
      if (!row) return std::unexpected(row.error());
      if (!*row) break;
      for (SeriesPoint& point : points_of(rows->blob(0))) {
        if (point.run >= places.size() || point.basis >= bases.size() || !places[point.run]) continue;
        point.part = places[point.run]->part;
        point.run = places[point.run]->run;
        point.basis = bases[point.basis];
        series.points.push_back(point);
      }
    }
    rows->reset();
    leave_one_of_each_run(series.points);
    if (!series.points.empty()) history.cases.push_back(std::move(series));
  }
}

}  // namespace tally
