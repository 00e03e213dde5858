#include "history/sqlite.h"

#include <sqlite3.h>

namespace tally {
namespace {

constexpr int kWaitMs = 30000;

std::unexpected<Error> sql_error(sqlite3* handle, std::string where = {}) {
  return fail(ErrorKind::io, std::string("the history's index: ") + sqlite3_errmsg(handle), std::move(where));
}

}  // namespace

void SqlDatabase::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<SqlDatabase> SqlDatabase::open(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  SqlDatabase database(handle);
  if (code != SQLITE_OK) return sql_error(handle, path.string());
  sqlite3_busy_timeout(handle, kWaitMs);
  return database;
}

Status SqlDatabase::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return sql_error(handle_.get());
  return {};
}

Result<SqlStatement> SqlDatabase::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return sql_error(handle_.get());
  return SqlStatement(statement);
}

std::int64_t SqlDatabase::last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }

void SqlDatabase::set_patient(bool is_patient) { sqlite3_busy_timeout(handle_.get(), is_patient ? kWaitMs : 0); }

bool SqlDatabase::is_busy() const {
  const int code = sqlite3_errcode(handle_.get());
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

SqlStatement& SqlStatement::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}

SqlStatement& SqlStatement::bind(std::string_view text) {
  sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

SqlStatement& SqlStatement::bind_blob(std::span<const std::byte> bytes) {
  sqlite3_bind_blob64(statement_.get(), ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Result<bool> SqlStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sql_error(sqlite3_db_handle(statement_.get()));
}

Status SqlStatement::run() {
  const auto row = step();
  if (!row) return std::unexpected(row.error());
  reset();
  return {};
}

void SqlStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bound_ = 0;
}

std::int64_t SqlStatement::whole(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string SqlStatement::text(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, sqlite3_column_bytes(statement_.get(), column));
}

std::span<const std::byte> SqlStatement::blob(int column) const {
  const auto* const bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace tally
