// The shared layout: what a wrong, old, half-made or hostile other side can do, and what it cannot.
#include "client/card/segment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "client/card/ring.h"
#include "tests/card/scara.h"

namespace torqued::card_test {
namespace {

std::string UniqueName(const char* what) { return std::string("test-") + what + "-" + std::to_string(getpid()); }

// The layout is a contract with other programs (README): a change of these numbers is a new kSegmentVersion.
TEST(Segment, LayoutIsAsDocumented) {
  EXPECT_EQ(sizeof(CardStatus), 40u);
  EXPECT_EQ(sizeof(SetPoint), 304u);
  EXPECT_EQ(offsetof(SetPoint, q), 16u);
  EXPECT_EQ(sizeof(Feedback), 760u);
  EXPECT_EQ(offsetof(Feedback, q_command), 48u);
  EXPECT_EQ(sizeof(RingIndex), 128u);
  EXPECT_EQ(kSegmentVersion, 2u);
}

TEST(Segment, TwoThreadsLoseNothingThroughASmallRing) {
  CardConfig config = ScaraConfig();
  config.setpoint_capacity = 8;
  std::vector<char> memory(SegmentBytes(8, config.feedback_capacity) + 64);
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  const SegmentView v = FormatSegment(aligned, config, "t", "t");
  constexpr std::uint64_t kCount = 4000;
  std::thread producer([&] {
    SetPoint p;
    for (std::uint64_t k = 1; k <= kCount;) {
      p.sequence = k;
      p.q[3] = static_cast<double>(k) * 0.5;
      if (RingPush(v.header->setpoints, v.setpoints, v.setpoint_capacity, p))
        ++k;
      else
        std::this_thread::yield();
    }
  });
  SetPoint p;
  for (std::uint64_t k = 1; k <= kCount;) {
    if (!RingPop(v.header->setpoints, v.setpoints, v.setpoint_capacity, &p)) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(p.sequence, k);
    ASSERT_EQ(p.q[3], static_cast<double>(k) * 0.5);
    ++k;
  }
  producer.join();
}

TEST(Segment, CorruptCountersAreRefusedNotFollowed) {
  CardConfig config = ScaraConfig();
  config.setpoint_capacity = 8;
  std::vector<char> memory(SegmentBytes(8, config.feedback_capacity) + 64);
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  const SegmentView v = FormatSegment(aligned, config, "t", "t");
  v.header->setpoints.head.store(1000);
  SetPoint p;
  EXPECT_FALSE(RingPop(v.header->setpoints, v.setpoints, v.setpoint_capacity, &p));
  EXPECT_FALSE(RingPush(v.header->setpoints, v.setpoints, v.setpoint_capacity, p));
  v.header->setpoints.head.store(0);
  v.header->setpoints.tail.store(5);
  EXPECT_FALSE(RingPop(v.header->setpoints, v.setpoints, v.setpoint_capacity, &p));
  EXPECT_FALSE(RingPush(v.header->setpoints, v.setpoints, v.setpoint_capacity, p));
}

TEST(Segment, AnotherLayoutIsRefused) {
  const CardConfig config = ScaraConfig();
  const std::size_t bytes = SegmentBytes(config.setpoint_capacity, config.feedback_capacity);
  std::vector<char> memory(bytes + 64);
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  EXPECT_EQ(ViewSegment(aligned, bytes).status().code(), absl::StatusCode::kUnavailable) << "not published";
  const SegmentView v = FormatSegment(aligned, config, "sim", "x");
  EXPECT_TRUE(ViewSegment(aligned, bytes).ok());
  EXPECT_FALSE(ViewSegment(aligned, bytes - 1).ok());
  EXPECT_FALSE(ViewSegment(aligned, 10).ok());
  v.header->version = 1;
  EXPECT_EQ(ViewSegment(aligned, bytes).status().code(), absl::StatusCode::kInternal);
  v.header->version = kSegmentVersion;
  for (const std::uint32_t capacity : {0u, 3u, 1u << 30, ~0u}) {
    v.header->setpoint_capacity = capacity;
    EXPECT_FALSE(ViewSegment(aligned, bytes).ok()) << capacity;
  }
  v.header->setpoint_capacity = config.setpoint_capacity;
  v.header->axes = 13;
  EXPECT_FALSE(ViewSegment(aligned, bytes).ok());
}

TEST(Segment, OneCardAndOneBridgePerName) {
  const std::string name = UniqueName("owner");
  const CardConfig config = ScaraConfig();
  EXPECT_EQ(SharedSegment::Attach(name).status().code(), absl::StatusCode::kNotFound);
  {
    auto card = SharedSegment::Create(name, config, "sim", "x");
    ASSERT_TRUE(card.ok()) << card.status();
    EXPECT_EQ(SharedSegment::Create(name, config, "sim", "x").status().code(), absl::StatusCode::kUnavailable);
    const auto names = ListCards();
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end());
    {
      auto bridge = SharedSegment::Attach(name);
      ASSERT_TRUE(bridge.ok()) << bridge.status();
      EXPECT_TRUE((*bridge)->CardAlive());
      EXPECT_EQ(SharedSegment::Attach(name).status().code(), absl::StatusCode::kUnavailable) << "one bridge at a time";
      EXPECT_TRUE(SharedSegment::Watch(name).ok()) << "anyone may watch";
    }
    EXPECT_TRUE(SharedSegment::Attach(name).ok()) << "free again";
  }
  EXPECT_EQ(SharedSegment::Attach(name).status().code(), absl::StatusCode::kNotFound) << "removed with its card";
}

TEST(Segment, NamesThatAreNotNamesAreRefused) {
  for (const char* name : {"", "../x", "a/b", "a b", "\n"}) EXPECT_EQ(SharedSegment::Attach(name).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace torqued::card_test
