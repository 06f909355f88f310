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

CardCounters ReadCounters(const CardSegment& h) noexcept {
  CardCounters c;
  c.cycles = h.cycle.load(std::memory_order_acquire);
  c.executed = h.executed.load(std::memory_order_relaxed);
  c.voided = h.voided.load(std::memory_order_relaxed);
  c.faults = h.faults.load(std::memory_order_relaxed);
  c.feedback_dropped = h.feedback_dropped.load(std::memory_order_relaxed);
  c.overruns = h.overruns.load(std::memory_order_relaxed);
  c.worst_lateness_ns = h.worst_lateness_ns.load(std::memory_order_relaxed);
  for (int i = 0; i < kMaxAxes; ++i) c.peak_following_error[i] = h.peak_following_error[i].load(std::memory_order_relaxed);
  return c;
}

void RaiseStop(CardSegment& h, StopKind kind) noexcept {
  const auto wanted = static_cast<std::uint32_t>(kind);
  std::uint32_t now = h.stop.load(std::memory_order_relaxed);
  while (now < wanted && !h.stop.compare_exchange_weak(now, wanted, std::memory_order_release)) {
  }
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
  h->resolution = EncoderResolution(config);
  std::strncpy(h->driver, driver.c_str(), sizeof(h->driver) - 1);
  std::strncpy(h->description, description.c_str(), sizeof(h->description) - 1);
  if (const std::string text = WriteCardConfig(config); text.size() < kConfigTextBytes) std::memcpy(h->config, text.data(), text.size());
  h->magic.store(kSegmentMagic, std::memory_order_release);
  return Places(h);
}

void NewestFeedback::Write(const Feedback& f) noexcept {
  std::uint64_t raw[sizeof(Feedback) / 8];
  std::memcpy(raw, &f, sizeof(f));
  const std::uint64_t v = version.load(std::memory_order_relaxed);
  version.store(v + 1, std::memory_order_relaxed);
  // Released words: who sees one of them sees the odd version too.
  for (std::size_t i = 0; i < words.size(); ++i) words[i].store(raw[i], std::memory_order_release);
  version.store(v + 2, std::memory_order_release);
}

bool NewestFeedback::Read(Feedback* out) const noexcept {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t before = version.load(std::memory_order_acquire);
    if (before == 0) return false;
    std::uint64_t raw[sizeof(Feedback) / 8];
    for (std::size_t i = 0; i < words.size(); ++i) raw[i] = words[i].load(std::memory_order_acquire);
    if (before % 2 != 0 || version.load(std::memory_order_acquire) != before) continue;
    std::memcpy(static_cast<void*>(out), raw, sizeof(*out));
    return true;
  }
  return false;
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

bool SharedSegment::BridgeAttached() const { return ByteIsLocked(fd_, 1); }

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
