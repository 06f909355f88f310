// SQLite in a few lines: statements that close themselves, errors that say what to do.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace torqued::sqlite {

class Connection;

// One prepared statement, in use by one thread. Bind from 1, then Step until it says false.
class Statement {
 public:
  Statement(Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(const std::string& text);
  Statement& Bind(std::int64_t number);

  // True: a row is there. Errors as in store.h.
  absl::StatusOr<bool> Step();
  absl::Status Run();  // for statements without rows

  std::string Text(int column) const;
  std::int64_t Number(int column) const;

 private:
  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int error_ = 0;
};

class Connection {
 public:
  // path ":memory:" keeps everything in this process.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  absl::Status Run(const char* sql);
  // An SQLite result code as a Status that names the file and what to do.
  absl::Status ToStatus(int code) const;
  sqlite3* handle() const { return handle_; }
  int changes() const;

 private:
  Connection(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  sqlite3* handle_;
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  absl::Status Begin();
  absl::Status Commit();

 private:
  Connection& connection_;
  bool open_ = false;
};

}  // namespace torqued::sqlite
