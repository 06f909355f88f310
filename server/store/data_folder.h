// Who may write in a data folder? One process at a time, for as long as it lives.
#pragma once

#include <absl/status/statusor.h>

#include <string>

namespace torqued {

// Holds an advisory lock on FOLDER/lock, which names the owner's process id. The kernel gives it back when the process
// ends, however it ends.
class DataFolder {
 public:
  // Creates the folder (mode 0700) where it is missing. FAILED_PRECONDITION: another process holds it (named);
  // UNAVAILABLE: it cannot be created or written.
  static absl::StatusOr<DataFolder> Lock(const std::string& path);

  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&& other) noexcept;
  ~DataFolder();

  const std::string& path() const { return path_; }

 private:
  DataFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_ = -1;
};

}  // namespace torqued
