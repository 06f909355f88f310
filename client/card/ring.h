// One producer, one consumer, no lock, no allocation: how a record crosses from one side to the other.
//
// The functions take both counters and the records' place, so that the same code serves private and shared memory.
// A counter that the other side has corrupted can only lead to a refusal (Count says so), never outside the ring.
#pragma once

#include <cstdint>

#include "client/card/segment.h"

namespace torqued {

// Records in the ring; more than `capacity` means that the other side does not keep the protocol.
inline std::uint64_t RingCount(const RingIndex& i) {
  return i.head.load(std::memory_order_acquire) - i.tail.load(std::memory_order_acquire);
}

// Producer. False: full (or corrupted).
template <class Record>
bool RingPush(RingIndex& i, Record* records, std::uint64_t capacity, const Record& record) {
  const std::uint64_t head = i.head.load(std::memory_order_relaxed);
  if (head - i.tail.load(std::memory_order_acquire) >= capacity) return false;
  records[head & (capacity - 1)] = record;
  i.head.store(head + 1, std::memory_order_release);
  return true;
}

// Consumer. False: empty (or corrupted: more than `capacity` records cannot be there).
template <class Record>
bool RingPop(RingIndex& i, const Record* records, std::uint64_t capacity, Record* out) {
  const std::uint64_t tail = i.tail.load(std::memory_order_relaxed);
  const std::uint64_t count = i.head.load(std::memory_order_acquire) - tail;
  if (count == 0 || count > capacity) return false;
  *out = records[tail & (capacity - 1)];
  i.tail.store(tail + 1, std::memory_order_release);
  return true;
}

}  // namespace torqued
