// What feed-forward from a model buys, on a robot that is not the model: at least five times less following error.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/card/bridge_rig.h"

namespace torqued::card_test {
namespace {

AxisArray PeakError(std::uint64_t seed, bool feed_forward) {
  CardConfig config = ScaraConfig();
  config.sim.seed = seed;
  for (AxisConfig& a : config.axes) {  // PD alone would trip these, and stick short of the goal
    a.following = {1, 1, 1};
    a.in_position = 0.05;
  }
  BridgeRig rig(config);
  Trajectory t = PickAndPlace(rig.model, 0.5);
  if (!feed_forward) t.tau.resize(0, 0);
  const PathTable table = rig.Table(t, feed_forward);
  // Gravity is held in both cases: it is the motion's torque that is compared.
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  AxisArray peak{};
  const RunStatistics s = Summarize(r);
  for (int i = 0; i < 4; ++i) peak[i] = s.axis[i].peak_following;
  return peak;
}

TEST(FeedForward, LowersThePeakFollowingErrorFiveFold) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const AxisArray pd = PeakError(seed, false), ff = PeakError(seed, true);
    double pd_worst = 0, ff_worst = 0;  // as a share of each axis' error limit, to compare radians with metres
    for (int i = 0; i < 4; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " axis " << i << ": " << pd[i] << " -> " << ff[i] << ", " << pd[i] / ff[i] << "-fold");
      if (seed == 1) std::printf("axis %d: peak following error %.6f with PD alone, %.6f with feed-forward\n", i, pd[i], ff[i]);
      EXPECT_GT(ff[i], 0) << "a robot equal to the model would prove nothing";
      EXPECT_GE(pd[i] / ff[i], 5);
      pd_worst = std::max(pd_worst, pd[i] / ScaraConfig().axes[i].following.floor);
      ff_worst = std::max(ff_worst, ff[i] / ScaraConfig().axes[i].following.floor);
    }
    EXPECT_GE(pd_worst / ff_worst, 5);
  }
}

}  // namespace
}  // namespace torqued::card_test
