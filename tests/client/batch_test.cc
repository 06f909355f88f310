#include "client/torqued/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/torqued/methods.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/models.pb.h"
#include "torqued/v1/server.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {
namespace {

using ::testing::ElementsAre;

void Fill(v1::JointVectors* vectors, int count, double first) {
  for (int i = 0; i < count; ++i) vectors->add_values(first + i);
}

TEST(Batch, WidthsOfPositionsAndRatesDiffer) {
  v1::ComputeInverseDynamicsRequest request;
  request.mutable_context()->set_model("models/floating");
  Fill(request.mutable_positions(), 3 * 8, 0);
  Fill(request.mutable_velocities(), 3 * 7, 100);
  BatchRequest batch(request, {8, 7});
  EXPECT_EQ(batch.samples(), 3);
  const auto part = batch.Part(1, 2);
  const auto& got = static_cast<const v1::ComputeInverseDynamicsRequest&>(*part);
  EXPECT_EQ(got.context().model(), "models/floating");
  ASSERT_EQ(got.positions().values_size(), 16);
  EXPECT_EQ(got.positions().values(0), 8);
  ASSERT_EQ(got.velocities().values_size(), 14);
  EXPECT_EQ(got.velocities().values(0), 107);
  EXPECT_FALSE(got.has_accelerations());
}

TEST(Batch, WhatStandsOnceForAllRowsIsKept) {
  v1::ComputeStaticTorqueRequest request;
  Fill(request.mutable_positions(), 4, 0);
  for (int i = 0; i < 6; ++i) request.mutable_wrench()->add_values(i);
  auto* each = request.mutable_context()->add_wrenches();
  for (int i = 0; i < 12; ++i) each->add_values(i);
  BatchRequest batch(request, {2, 2});
  EXPECT_EQ(batch.samples(), 2);
  const auto part = batch.Part(1, 1);
  const auto& got = static_cast<const v1::ComputeStaticTorqueRequest&>(*part);
  EXPECT_THAT(got.positions().values(), ElementsAre(2, 3));
  EXPECT_EQ(got.wrench().values_size(), 6);
  EXPECT_THAT(got.context().wrenches(0).values(), ElementsAre(6, 7, 8, 9, 10, 11));
}

TEST(Batch, SixVectorsAndPosesAreRows) {
  v1::AnalyzeVelocityRequest velocity;
  Fill(velocity.mutable_positions(), 4, 0);
  for (int i = 0; i < 12; ++i) velocity.add_frame_velocities(i);
  BatchRequest batch(velocity, {2, 2});
  EXPECT_THAT(static_cast<const v1::AnalyzeVelocityRequest&>(*batch.Part(1, 1)).frame_velocities(),
              ElementsAre(6, 7, 8, 9, 10, 11));

  v1::ComputeInverseKinematicsRequest ik;
  ik.mutable_context();
  for (int i = 0; i < 21; ++i) ik.mutable_poses()->add_values(i);
  Fill(ik.mutable_seeds(), 2, 50);
  BatchRequest poses(ik, {2, 2});
  EXPECT_EQ(poses.samples(), 3);
  const auto part = poses.Part(2, 1);
  EXPECT_EQ(static_cast<const v1::ComputeInverseKinematicsRequest&>(*part).poses().values(0), 14);
  EXPECT_THAT(static_cast<const v1::ComputeInverseKinematicsRequest&>(*part).seeds().values(),
              ElementsAre(50, 51));
}

TEST(Batch, AnAnswerForAllRowsTogetherIsNotSplit) {
  v1::IdentifyParametersRequest identify;
  Fill(identify.mutable_positions(), 100, 0);
  EXPECT_EQ(BatchRequest(identify, {2, 2}).samples(), 0);
  v1::ComputeInverseStaticsRequest statics;
  Fill(statics.mutable_positions(), 100, 0);
  EXPECT_EQ(BatchRequest(statics, {2, 2}).samples(), 50);
  statics.mutable_payload();
  EXPECT_EQ(BatchRequest(statics, {2, 2}).samples(), 0);
}

TEST(Batch, PartsKeepLargeAnswersInsideTheLimit) {
  v1::ComputeRegressorRequest request;
  request.mutable_context();
  Fill(request.mutable_positions(), 6 * 10'000, 0);
  const int64_t bytes = 4 << 20;
  const int64_t rows = BatchRequest(request, {6, 6}).SamplesPerPart({0, bytes});
  EXPECT_LE(rows * 6 * 60 * 8, bytes);
  EXPECT_GT(rows, 100);
}

TEST(Batch, JoinAppendsRowsAndKeepsWhatIsCommon) {
  v1::ComputeForwardKinematicsResponse whole, part;
  for (auto* answer : {&whole, &part}) {
    answer->mutable_info()->set_sample_count(2);
    answer->mutable_info()->set_revision("models/a/revisions/1");
    answer->mutable_info()->add_samples_outside_limits(1);
    answer->add_frames("tool0");
    for (int i = 0; i < 14; ++i) answer->mutable_poses()->add_values(i);
  }
  JoinAnswer(part, whole);
  EXPECT_EQ(whole.info().sample_count(), 4);
  EXPECT_EQ(whole.info().revision(), "models/a/revisions/1");
  EXPECT_THAT(whole.info().samples_outside_limits(), ElementsAre(1, 3));
  EXPECT_EQ(whole.frames_size(), 1);
  EXPECT_EQ(whole.poses().values_size(), 28);

  v1::ComputeRegressorResponse regressor, more;
  for (auto* answer : {&regressor, &more}) {
    answer->mutable_regressor()->set_rows(1);
    answer->mutable_regressor()->set_cols(2);
    answer->mutable_regressor()->add_values(1);
    answer->mutable_regressor()->add_values(2);
    answer->add_parameters(7);
    answer->mutable_base_map()->add_values(9);
  }
  JoinAnswer(more, regressor);
  EXPECT_THAT(regressor.regressor().values(), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(regressor.parameters(), ElementsAre(7));
  EXPECT_THAT(regressor.base_map().values(), ElementsAre(9));
}

TEST(Methods, EveryRequestOfTheContractHasItsPath) {
  EXPECT_EQ(MethodPath(*v1::ComputeStaticTorqueRequest::descriptor()),
            "/torqued.v1.StaticsService/ComputeStaticTorque");
  EXPECT_EQ(MethodPath(*v1::SimulateRequest::descriptor()), "/torqued.v1.DynamicsService/Simulate");
  EXPECT_EQ(MethodPath(*v1::JointVectors::descriptor()), "");
}

TEST(Methods, WhatChangesSomethingIsNotRepeatedBlindly) {
  EXPECT_TRUE(IsIdempotent(v1::ComputeStaticTorqueRequest()));
  EXPECT_TRUE(IsIdempotent(v1::GetServerInfoRequest()));
  EXPECT_FALSE(IsIdempotent(v1::DeleteModelRequest()));
  EXPECT_FALSE(IsIdempotent(v1::UpdateModelRequest()));
  v1::CreateModelRequest create;
  EXPECT_FALSE(IsIdempotent(create));
  create.set_request_id("x");
  EXPECT_TRUE(IsIdempotent(create));
}

}  // namespace
}  // namespace torqued
