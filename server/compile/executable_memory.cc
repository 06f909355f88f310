#include "server/compile/executable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace torqued::compile {

std::unique_ptr<ExecutableMemory> ExecutableMemory::Make(const std::vector<const std::vector<std::uint8_t>*>& pieces) {
  const auto aligned = [](std::size_t n, std::size_t to) { return (n + to - 1) / to * to; };
  std::size_t size = 0;
  for (const auto* p : pieces) size += aligned(p->size(), 64);
  size = aligned(size, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  if (size == 0) return nullptr;

  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  std::unique_ptr<ExecutableMemory> out(new ExecutableMemory);
  out->base_ = base;
  out->size_ = size;
  std::size_t at = 0;
  for (const auto* p : pieces) {
    std::uint8_t* start = static_cast<std::uint8_t*>(base) + at;
    std::memcpy(start, p->data(), p->size());
    out->starts_.push_back(start);
    at += aligned(p->size(), 64);
  }
  if (mprotect(base, size, PROT_READ | PROT_EXEC) != 0) return nullptr;
  return out;
}

ExecutableMemory::~ExecutableMemory() { munmap(base_, size_); }

}  // namespace torqued::compile
