#include "server/app/log.h"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <mutex>

namespace torqued::log {
namespace {

// Each line is one write: it is out when the call returns, and whole.
class Destination final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  ~Destination() override { close(fd_); }

  // Standard error for an empty path. False: as before.
  bool Open(const std::string& path) {
    const int fd = path.empty() ? dup(STDERR_FILENO)
                                : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (fd < 0) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    close(fd_);
    fd_ = fd;
    path_ = path;
    return true;
  }
  bool Reopen() { return Open(path_); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    for (size_t at = 0; at < line.size();) {
      const ssize_t n = write(fd_, line.data() + at, line.size() - at);
      if (n <= 0) return;  // a full disk: the line is lost, the service is not
      at += static_cast<size_t>(n);
    }
  }
  void flush_() override {}

  int fd_ = dup(STDERR_FILENO);
  std::string path_;  // changed by Open alone, which one thread calls
};

struct Book {
  std::shared_ptr<Destination> destination = std::make_shared<Destination>();
  spdlog::logger logger{"torqued", destination};

  Book() { logger.set_pattern("%Y-%m-%dT%H:%M:%S.%f%z %l %v"); }
};

Book& Log() {
  static Book* const book = new Book;
  return *book;
}

Book& AuditLog() {
  static Book* const book = new Book;
  return *book;
}
bool audit_apart = false;  // written before the server's threads exist

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarning: return spdlog::level::warn;
    case Level::kError: return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

bool Configure(const std::string& level, const std::string& file) {
  const auto parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") return false;
  Log().logger.set_level(parsed);
  return file.empty() || Log().destination->Open(file);
}

bool ConfigureAudit(const std::string& file) {
  audit_apart = !file.empty();
  return file.empty() || AuditLog().destination->Open(file);
}

bool Reopen() {
  const bool log = Log().destination->Reopen();
  return AuditLog().destination->Reopen() && log;
}

bool Tells(Level level) { return Log().logger.should_log(ToSpdlog(level)); }

void Write(Level level, const std::string& line) { Log().logger.log(ToSpdlog(level), spdlog::string_view_t(line)); }

// Said whatever the level of the log is.
void Audit(const std::string& line) {
  if (audit_apart) AuditLog().logger.info(spdlog::string_view_t(line));
  else if (Tells(Level::kInfo)) Write(Level::kInfo, line);
  else Write(Level::kError, line);
}

}  // namespace torqued::log
