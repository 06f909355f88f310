#include "server/store/sqlite.h"

#include <absl/strings/str_cat.h>
#include <sqlite3.h>

namespace torqued::sqlite {

Statement::Statement(Connection& connection, const char* sql) : connection_(connection) {
  error_ = sqlite3_prepare_v2(connection.handle(), sql, -1, &statement_, nullptr);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::Bind(const std::string& text) {
  if (error_ == SQLITE_OK)
    error_ = sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::Bind(std::int64_t number) {
  if (error_ == SQLITE_OK) error_ = sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  if (error_ != SQLITE_OK) return connection_.ToStatus(error_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_.ToStatus(code);
}

absl::Status Statement::Run() { return Step().status(); }

std::string Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text ? std::string(text, sqlite3_column_bytes(statement_, column)) : std::string();
}

std::int64_t Statement::Number(int column) const { return sqlite3_column_int64(statement_, column); }

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<Connection> connection(new Connection(path, handle));
  if (code != SQLITE_OK) return connection->ToStatus(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 2000);
  return connection;
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

absl::Status Connection::Run(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : ToStatus(code);
}

int Connection::changes() const { return sqlite3_changes(handle_); }

absl::Status Connection::ToStatus(int code) const {
  const std::string what = absl::StrCat("store ", path_, ": ", handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code));
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(absl::StrCat(
          what, "; examine it with 'torqued check-store', then put a backup in its place or move the file away"));
    case SQLITE_FULL:
      return absl::UnavailableError(absl::StrCat(what, "; free space on that disk: nothing was changed"));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return absl::UnavailableError(absl::StrCat(what, "; the server's user must be able to write the data folder"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(absl::StrCat(what, "; another program holds the file"));
    case SQLITE_IOERR:
      return absl::UnavailableError(absl::StrCat(what, "; check the disk: nothing was changed"));
    default:
      return absl::InternalError(what);
  }
}

absl::Status Transaction::Begin() {
  const absl::Status status = connection_.Run("BEGIN IMMEDIATE");
  open_ = status.ok();
  return status;
}

absl::Status Transaction::Commit() {
  const absl::Status status = connection_.Run("COMMIT");
  if (status.ok()) open_ = false;
  return status;
}

Transaction::~Transaction() {
  if (open_) connection_.Run("ROLLBACK").IgnoreError();
}

}  // namespace torqued::sqlite
