#include "server/store/data_folder.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace torqued {
namespace {

absl::Status Refused(const std::string& path, const std::string& what, int error) {
  return absl::UnavailableError(absl::StrCat("data folder ", path, ": ", what, ": ", std::strerror(error),
                                             "; choose a folder that this user may write with --data-dir"));
}

std::string OwnerOf(int fd) {
  char text[32] = {};
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  int pid = 0;
  if (n > 0 && absl::SimpleAtoi(text, &pid)) return absl::StrCat(" by process ", pid);
  return " by another process";
}

}  // namespace

absl::StatusOr<DataFolder> DataFolder::Lock(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    std::filesystem::create_directories(path, error);
    if (error) return Refused(path, "cannot create it", error.value());
    chmod(path.c_str(), 0700);
  }
  const std::string lock = absl::StrCat(path, "/lock");
  const int fd = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Refused(path, "cannot write in it", errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    const std::string owner = OwnerOf(fd);
    close(fd);
    if (why != EWOULDBLOCK) return Refused(path, "cannot lock it", why);
    return absl::FailedPreconditionError(
        absl::StrCat("data folder ", path, " is in use", owner, "; stop that server or choose another --data-dir"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const int why = errno;
    close(fd);
    return Refused(path, "cannot write in it", why);
  }
  return DataFolder(path, fd);
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

DataFolder& DataFolder::operator=(DataFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

DataFolder::~DataFolder() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace torqued
