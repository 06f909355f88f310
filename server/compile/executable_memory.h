// Where does made code live? In pages that were written once and are now only readable and executable, never both
// writable and executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace torqued::compile {

class ExecutableMemory {
 public:
  // Copies of the pieces, each aligned to 64; nullptr where the system refuses (no memory, executable mappings forbidden).
  static std::unique_ptr<ExecutableMemory> Make(const std::vector<const std::vector<std::uint8_t>*>& pieces);
  ~ExecutableMemory();
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;

  // Start of piece k.
  const void* piece(std::size_t k) const { return starts_[k]; }
  std::size_t size() const { return size_; }

 private:
  ExecutableMemory() = default;
  void* base_ = nullptr;
  std::size_t size_ = 0;
  std::vector<const void*> starts_;
};

}  // namespace torqued::compile
