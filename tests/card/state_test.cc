// The state table, every state with every event, against the list a reader would write down from the interface's prose.
#include "client/card/state.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "client/card/status.h"

namespace torqued {
namespace {

using S = CardState;
using E = CardEvent;

TEST(CardStateTable, EveryPairIsAsStated) {
  std::map<std::pair<S, E>, S> legal;
  // Power comes on from Disabled only; motion begins from Ready only.
  legal[{S::kOffline, E::kOpen}] = S::kDisabled;
  legal[{S::kDisabled, E::kEnable}] = S::kReady;
  legal[{S::kReady, E::kStart}] = S::kStreaming;
  legal[{S::kReady, E::kHome}] = S::kHoming;
  legal[{S::kStreaming, E::kFinished}] = S::kReady;
  legal[{S::kHoming, E::kHomed}] = S::kReady;
  // A stop while something moves is a controlled stop; where nothing moves it changes nothing.
  for (S s : {S::kStreaming, S::kHoming, S::kStopping}) legal[{s, E::kStop}] = S::kStopping;
  legal[{S::kReady, E::kStop}] = S::kReady;
  legal[{S::kFaulted, E::kStop}] = S::kFaulted;
  legal[{S::kStopping, E::kAtRest}] = S::kReady;
  // Disable is legal wherever power may be on, and where it is off already.
  for (S s : {S::kDisabled, S::kReady, S::kStreaming, S::kStopping, S::kHoming}) legal[{s, E::kDisable}] = S::kDisabled;
  legal[{S::kFaulted, E::kDisable}] = S::kFaulted;  // does not clear a fault
  // A fault is legal in every connected state and only ResetFault leaves it, to Disabled.
  for (S s : {S::kDisabled, S::kReady, S::kStreaming, S::kStopping, S::kHoming, S::kFaulted}) legal[{s, E::kFault}] = S::kFaulted;
  legal[{S::kFaulted, E::kResetFault}] = S::kDisabled;
  // Closing needs standstill.
  for (S s : {S::kDisabled, S::kReady, S::kFaulted}) legal[{s, E::kClose}] = S::kOffline;

  for (int s = 0; s < kCardStateCount; ++s) {
    for (int e = 0; e < kCardEventCount; ++e) {
      S state = static_cast<S>(s);
      const bool moved = Advance(state, static_cast<E>(e));
      const auto want = legal.find({static_cast<S>(s), static_cast<E>(e)});
      SCOPED_TRACE(std::string(Name(static_cast<S>(s))) + " + " + Name(static_cast<E>(e)));
      EXPECT_EQ(moved, want != legal.end());
      EXPECT_EQ(state, want != legal.end() ? want->second : static_cast<S>(s)) << "a refused event changes nothing";
    }
  }
  EXPECT_EQ(kCardTransitions.size(), legal.size()) << "no transition twice";
}

TEST(CardStateTable, NothingButEnableTurnsPowerOn) {
  for (const CardTransition& t : kCardTransitions) {
    if (!Powered(t.from) && Powered(t.to)) {
      EXPECT_EQ(t.event, CardEvent::kEnable);
    }
  }
}

TEST(CardStateTable, EveryNameIsItsOwn) {
  std::set<std::string> names;
  for (int s = 0; s < kCardStateCount; ++s) names.insert(Name(static_cast<S>(s)));
  for (int e = 0; e < kCardEventCount; ++e) names.insert(Name(static_cast<E>(e)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kCardStateCount + kCardEventCount));
}

TEST(CardStatusText, NamesJointCycleValueAndLimit) {
  CardStatus s = CardError(CardCode::kFollowingError, 2, 0.0123, 0.01);
  s.cycle = 1834;
  EXPECT_EQ(ToString(s), "following-error: joint 2 at cycle 1834: 0.0123, limit 0.01");
  EXPECT_EQ(ToString(s, "z"), "following-error: joint z at cycle 1834: 0.0123, limit 0.01");
  s.vendor = 77;
  EXPECT_EQ(ToAbslStatus(s).code(), absl::StatusCode::kAborted);
  EXPECT_NE(std::string(ToAbslStatus(s).message()).find("vendor code 77"), std::string::npos);
  EXPECT_EQ(ToString(CardStatus{}), "ok");
  EXPECT_TRUE(ToAbslStatus(CardStatus{}).ok());
}

}  // namespace
}  // namespace torqued
