#include "client/card/segment.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

constexpr char kPrefix[] = "/torqued-card-";
constexpr char kShmFolder[] = "/dev/shm";

std::size_t RoundUp(std::size_t n) { return (n + 63) / 64 * 64; }

absl::Status SystemError(const std::string& what) { return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno))); }

// A write lock on one byte, owned by the open file description. False: somebody else has it.
bool LockByte(int fd, off_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool ByteIsLocked(int fd, off_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

absl::Status CheckName(const std::string& name) {
  if (name.empty() || name.size() > 64 ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != std::string::npos)
    return absl::InvalidArgumentError(absl::StrCat("card name: '", name, "', want 1 to 64 letters, digits, . _ -"));
  return absl::OkStatus();
}

}  // namespace

std::size_t SegmentBytes(int setpoint_capacity, int feedback_capacity) {
  return RoundUp(sizeof(CardSegment)) + RoundUp(sizeof(SetPoint) * setpoint_capacity) +
         RoundUp(sizeof(Feedback) * feedback_capacity);
}

namespace {

SegmentView Places(CardSegment* header) {
  SegmentView v;
  v.header = header;
  v.setpoint_capacity = header->setpoint_capacity;
  v.feedback_capacity = header->feedback_capacity;
  char* base = reinterpret_cast<char*>(header) + RoundUp(sizeof(CardSegment));
  v.setpoints = reinterpret_cast<SetPoint*>(base);
  v.feedback = reinterpret_cast<Feedback*>(base + RoundUp(sizeof(SetPoint) * v.setpoint_capacity));
  return v;
}

}  // namespace

SegmentView FormatSegment(void* memory, const CardConfig& config, const std::string& driver, const std::string& description) {
  auto* h = new (memory) CardSegment;
  h->version = kSegmentVersion;
  h->header_bytes = sizeof(CardSegment);
  h->setpoint_bytes = sizeof(SetPoint);
  h->feedback_bytes = sizeof(Feedback);
  h->setpoint_capacity = config.setpoint_capacity;
  h->feedback_capacity = config.feedback_capacity;
  h->axes = config.axis_count();
  h->cycle_ns = std::llround(config.cycle_s * 1e9);
  h->command_timeout_ns = std::llround(config.command_timeout_s * 1e9);
  h->watchdog_ns = std::llround(config.watchdog_s * 1e9);
  for (int i = 0; i < config.axis_count(); ++i) h->resolution[i] = std::abs(1 / config.axes[i].CountsPerJoint());
  std::strncpy(h->driver, driver.c_str(), sizeof(h->driver) - 1);
  std::strncpy(h->description, description.c_str(), sizeof(h->description) - 1);
  h->magic.store(kSegmentMagic, std::memory_order_release);
  return Places(h);
}

absl::StatusOr<SegmentView> ViewSegment(void* memory, std::size_t bytes) {
  auto* h = static_cast<CardSegment*>(memory);
  if (bytes < sizeof(CardSegment)) return absl::InvalidArgumentError("card segment: shorter than its header");
  if (h->magic.load(std::memory_order_acquire) != kSegmentMagic)
    return absl::UnavailableError("card segment: not published yet, or not a card's");
  if (h->version != kSegmentVersion || h->header_bytes != sizeof(CardSegment) || h->setpoint_bytes != sizeof(SetPoint) ||
      h->feedback_bytes != sizeof(Feedback))
    return absl::InternalError(absl::StrCat("card segment: layout version ", h->version, ", this program speaks ", kSegmentVersion));
  const std::uint64_t s = h->setpoint_capacity, f = h->feedback_capacity;
  if (h->axes < 1 || h->axes > kMaxAxes || h->cycle_ns <= 0 || s < 2 || f < 2 || s > (1u << 20) || f > (1u << 20) ||
      (s & (s - 1)) || (f & (f - 1)) || SegmentBytes(static_cast<int>(s), static_cast<int>(f)) > bytes)
    return absl::InternalError("card segment: impossible sizes in its header");
  return Places(h);
}

absl::StatusOr<std::unique_ptr<SharedSegment>> SharedSegment::Create(const std::string& name, const CardConfig& config,
                                                                     const std::string& driver,
                                                                     const std::string& description) {
  if (absl::Status s = CheckName(name); !s.ok()) return s;
  const std::string path = kPrefix + name;
  if (const int old = shm_open(path.c_str(), O_RDWR | O_CLOEXEC, 0600); old >= 0) {
    const bool alive = ByteIsLocked(old, 0);
    close(old);
    if (alive) return absl::UnavailableError(absl::StrCat("card '", name, "': a living card has that name"));
    shm_unlink(path.c_str());
  }
  std::unique_ptr<SharedSegment> out(new SharedSegment);
  out->name_ = path;
  out->fd_ = shm_open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out->fd_ < 0) return SystemError(absl::StrCat("card '", name, "'"));
  out->owner_ = true;
  if (!LockByte(out->fd_, 0)) return SystemError(absl::StrCat("card '", name, "' lock"));
  out->bytes_ = SegmentBytes(config.setpoint_capacity, config.feedback_capacity);
  if (ftruncate(out->fd_, static_cast<off_t>(out->bytes_)) != 0) return SystemError(absl::StrCat("card '", name, "' size"));
  out->memory_ = mmap(nullptr, out->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, out->fd_, 0);
  if (out->memory_ == MAP_FAILED) return out->memory_ = nullptr, SystemError(absl::StrCat("card '", name, "' mapping"));
  out->view_ = FormatSegment(out->memory_, config, driver, description);
  return out;
}

absl::StatusOr<std::unique_ptr<SharedSegment>> SharedSegment::Watch(const std::string& name) {
  if (absl::Status s = CheckName(name); !s.ok()) return s;
  std::unique_ptr<SharedSegment> out(new SharedSegment);
  out->name_ = kPrefix + name;
  out->fd_ = shm_open(out->name_.c_str(), O_RDWR | O_CLOEXEC, 0600);
  if (out->fd_ < 0) return absl::NotFoundError(absl::StrCat("card '", name, "': ", std::strerror(errno)));
  struct stat info {};
  if (fstat(out->fd_, &info) != 0 || info.st_size <= 0) return absl::UnavailableError(absl::StrCat("card '", name, "': not published yet"));
  out->bytes_ = static_cast<std::size_t>(info.st_size);
  out->memory_ = mmap(nullptr, out->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, out->fd_, 0);
  if (out->memory_ == MAP_FAILED) return out->memory_ = nullptr, SystemError(absl::StrCat("card '", name, "' mapping"));
  absl::StatusOr<SegmentView> view = ViewSegment(out->memory_, out->bytes_);
  if (!view.ok()) return view.status();
  out->view_ = *view;
  return out;
}

absl::StatusOr<std::unique_ptr<SharedSegment>> SharedSegment::Attach(const std::string& name) {
  auto out = Watch(name);
  if (!out.ok()) return out;
  if (!(*out)->CardAlive()) return absl::UnavailableError(absl::StrCat("card '", name, "': its process is dead"));
  if (!LockByte((*out)->fd_, 1)) return absl::UnavailableError(absl::StrCat("card '", name, "': another bridge owns it"));
  return out;
}

bool SharedSegment::CardAlive() const { return owner_ || ByteIsLocked(fd_, 0); }

SharedSegment::~SharedSegment() {
  if (memory_) munmap(memory_, bytes_);
  if (owner_) shm_unlink(name_.c_str());
  if (fd_ >= 0) close(fd_);
}

std::vector<std::string> ListCards() {
  std::vector<std::string> names;
  DIR* folder = opendir(kShmFolder);
  if (!folder) return names;
  const std::string prefix = kPrefix + 1;
  while (const dirent* entry = readdir(folder)) {
    const std::string file = entry->d_name;
    if (file.rfind(prefix, 0) != 0) continue;
    const int fd = shm_open(("/" + file).c_str(), O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && ByteIsLocked(fd, 0)) names.push_back(file.substr(prefix.size()));
    if (fd >= 0) close(fd);
  }
  closedir(folder);
  return names;
}

}  // namespace torqued
