/// SQLite, as far as an index needs it. Errors are of the kind io and say what SQLite says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tally {

class SqlStatement;

/// One connection. Another process that writes is waited for, up to half a minute.
class SqlDatabase {
 public:
  /// Makes the file where there is none. ":memory:" is a database that goes with this object.
  static Result<SqlDatabase> open(const std::filesystem::path& path);

  /// Statements without parameters, one or several.
  Status execute(const char* sql);
  [[nodiscard]] Result<SqlStatement> prepare(std::string_view sql) const;
  [[nodiscard]] std::int64_t last_id() const;
  /// Whether another process that writes is waited for.
  void set_patient(bool is_patient);
  /// What failed last failed because another process holds it.
  [[nodiscard]] bool is_busy() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  explicit SqlDatabase(sqlite3* handle) : handle_(handle) {}

  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement: bind from the first parameter on, step until no row is left. Texts and blobs of a row are good
/// until the next step.
class SqlStatement {
 public:
  SqlStatement& bind(std::int64_t value);
  SqlStatement& bind(std::string_view text);
  SqlStatement& bind_blob(std::span<const std::byte> bytes);

  /// Whether there is a row.
  Result<bool> step();
  /// For statements that give no rows: executes it, and makes it ready for other parameters.
  Status run();
  /// Ready for other parameters.
  void reset();

  [[nodiscard]] std::int64_t whole(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  friend class SqlDatabase;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit SqlStatement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

}  // namespace tally
