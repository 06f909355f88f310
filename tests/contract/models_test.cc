// Models through a real server, and mistakes: right codes, right words, details always.
#include "tests/contract/contract.h"

#include <cmath>

#include "grpc/health/v1/health.grpc.pb.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
using testing::Contract;
using testing::kG;

TEST_F(Contract, MistakesAreNamed) {
  v1::ComputeInverseDynamicsResponse r;
  using Id = v1::ComputeInverseDynamicsRequest;
  ExpectError(Ask(About<Id>("two", {1}), &r), absl::StatusCode::kInvalidArgument, "positions: 1 value, want 2", "WRONG_SIZE");
  ExpectError(Ask(About<Id>("two", {0, std::nan("")}), &r), absl::StatusCode::kInvalidArgument,
              "positions[1]: nan (sample 0, joint 'elbow'), want a finite number", "NOT_FINITE");
  ExpectError(Ask(About<Id>("tow", {0, 0}), &r), absl::StatusCode::kNotFound, "did you mean 'two'?", "UNKNOWN_MODEL");
  ExpectError(Ask(About<Id>("two/revisions/000000000000", {0, 0}), &r), absl::StatusCode::kNotFound,
              "has no revision 000000000000", "UNKNOWN_REVISION");
  ExpectError(Ask(Id(), &r), absl::StatusCode::kInvalidArgument, "context.model: absent", "BAD_MODEL_NAME");
  auto lengths = About<Id>("two", {0, 0, 0, 0});
  lengths.mutable_accelerations()->add_values(1);
  ExpectError(Ask(lengths, &r), absl::StatusCode::kInvalidArgument, "accelerations: 1 value, want 4 = 2 x 2", "WRONG_SIZE");
  auto huge = About<Id>("two", {0, 0});
  for (int i = 0; i < 2; ++i) huge.mutable_velocities()->add_values(1e300);
  ExpectError(Ask(huge, &r), absl::StatusCode::kInvalidArgument, "result of sample 0 is not finite", "RESULT_NOT_FINITE");
  v1::ComputeJacobianResponse j;
  auto frame = About<v1::ComputeJacobianRequest>("two", {0, 0});
  frame.set_frame("foer");
  ExpectError(Ask(frame, &j), absl::StatusCode::kNotFound, "did you mean 'fore'?", "UNKNOWN_FRAME");
  auto motor = About<Id>("two", {0, 0});
  motor.set_report_motor(true);
  ExpectError(Ask(motor, &r), absl::StatusCode::kFailedPrecondition, "motors and gears", "NO_DRIVES");
  auto energy = About<v1::ComputeEnergyRequest>("two", {0, 0});
  auto* wrench = energy.mutable_context()->add_wrenches();
  for (int i = 0; i < 6; ++i) wrench->add_values(0);
  wrench->set_exerter(v1::EXERTER_ROBOT);
  v1::ComputeEnergyResponse e;
  ExpectError(Ask(energy, &e), absl::StatusCode::kInvalidArgument, "no use for external wrenches", "NOT_APPLICABLE");
}

TEST_F(Contract, AModelsLife) {
  v1::Model first;
  ASSERT_TRUE(Create("life", testing::TwoLink(1), &first, "req-1").ok());
  EXPECT_EQ(first.generation(), 1);
  v1::Model again;
  ASSERT_TRUE(Create("life", testing::TwoLink(1), &again, "req-1").ok());
  EXPECT_EQ(again.etag(), first.etag());
  ASSERT_TRUE(Create("life", testing::TwoLink(1), &again).ok()) << "the same source is no conflict";
  ExpectError(Create("life", testing::TwoLink(2)), absl::StatusCode::kAlreadyExists, "exists already", "MODEL_EXISTS");
  ExpectError(Create("other", testing::TwoLink(2), nullptr, "req-1"), absl::StatusCode::kInvalidArgument, "request_id",
              "REQUEST_ID_REUSED");

  v1::UpdateModelRequest update;
  update.set_name("models/life");
  update.mutable_source()->set_text(testing::TwoLink(2));
  update.set_etag(first.etag());
  v1::UpdateModelResponse updated;
  ASSERT_TRUE(Ask(update, &updated).ok());
  EXPECT_EQ(updated.model().generation(), 2);
  EXPECT_NE(updated.model().revision(), first.revision());
  update.mutable_source()->set_text(testing::TwoLink(3));
  ExpectError(Ask(update, &updated), absl::StatusCode::kAborted, "was changed meanwhile", "ETAG_MISMATCH");

  // Both revisions answer, each with its own mass.
  for (const auto& [revision, mass] : {std::make_pair(first.revision(), 1.0), std::make_pair(updated.model().revision(), 2.0)}) {
    v1::ComputeStaticTorqueResponse torque;
    ASSERT_TRUE(Ask(About<v1::ComputeStaticTorqueRequest>("life/revisions/" + revision, {0, 0}), &torque).ok());
    EXPECT_NEAR(torque.efforts().values(1), kG * 0.5 * mass, 1e-12);
    EXPECT_EQ(torque.info().revision(), "models/life/revisions/" + revision);
  }
  v1::ListModelRevisionsRequest list;
  list.set_name("models/life");
  list.set_page_size(1);
  v1::ListModelRevisionsResponse page;
  ASSERT_TRUE(Ask(list, &page).ok());
  ASSERT_EQ(page.revisions_size(), 1);
  EXPECT_TRUE(page.revisions(0).current());
  list.set_page_token(page.next_page_token());
  v1::ListModelRevisionsResponse rest;
  ASSERT_TRUE(Ask(list, &rest).ok());
  ASSERT_EQ(rest.revisions_size(), 1);
  EXPECT_EQ(rest.revisions(0).revision(), first.revision());
  EXPECT_TRUE(rest.next_page_token().empty());

  v1::DeleteModelRequest remove;
  remove.set_name("models/life");
  v1::DeleteModelResponse removed;
  ASSERT_TRUE(Ask(remove, &removed).ok());
  v1::GetModelRequest get;
  get.set_name("models/life");
  v1::GetModelResponse got;
  ExpectError(Ask(get, &got), absl::StatusCode::kNotFound, "no model 'life'", "UNKNOWN_MODEL");
}

TEST_F(Contract, ListsInPagesByLabel) {
  for (int i = 0; i < 5; ++i) {
    v1::CreateModelRequest request;
    request.set_model_id("page-" + std::to_string(i));
    request.mutable_source()->set_text(testing::TwoLink(1 + i));
    (*request.mutable_labels())["page"] = i % 2 ? "odd" : "even";
    v1::CreateModelResponse response;
    ASSERT_TRUE(Ask(request, &response).ok());
  }
  v1::ListModelsRequest list;
  (*list.mutable_labels())["page"] = "even";
  list.set_page_size(2);
  std::vector<std::string> names;
  do {
    v1::ListModelsResponse page;
    ASSERT_TRUE(Ask(list, &page).ok());
    EXPECT_LE(page.models_size(), 2);
    for (const auto& model : page.models()) names.push_back(model.name());
    list.set_page_token(page.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_THAT(names, ::testing::ElementsAre("models/page-0", "models/page-2", "models/page-4"));
}

TEST_F(Contract, NamesAreChecked) {
  for (const char* id : {"../x", "A", "-a", "a/b", "ü", "a b"})
    ExpectError(Create(id, testing::TwoLink()), absl::StatusCode::kInvalidArgument, "model_id", "BAD_MODEL_ID");
  ExpectError(Create(std::string(64, 'a'), testing::TwoLink()), absl::StatusCode::kInvalidArgument, "model_id", "BAD_MODEL_ID");
  ExpectError(Create("broken", "<robot"), absl::StatusCode::kInvalidArgument, "source: ", "BAD_SOURCE");
  v1::Model named;
  ASSERT_TRUE(Create("", testing::TwoLink(9), &named).ok() || named.name().empty());
}

TEST_F(Contract, ValidateOnlyRegistersNothing) {
  v1::CreateModelRequest request;
  request.set_model_id("ghost");
  request.mutable_source()->set_text(testing::TwoLinkWithoutInertia());
  request.set_validate_only(true);
  v1::CreateModelResponse response;
  ASSERT_TRUE(Ask(request, &response).ok());
  EXPECT_FALSE(response.model().capabilities().dynamics());
  EXPECT_GT(response.model().findings_size(), 0);
  v1::GetModelRequest get;
  get.set_name("models/ghost");
  v1::GetModelResponse got;
  EXPECT_EQ(Ask(get, &got).code(), absl::StatusCode::kNotFound);
}

TEST_F(Contract, TheServerKnowsItself) {
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(Ask(v1::GetServerInfoRequest(), &info).ok());
  EXPECT_FALSE(info.version().empty());
  EXPECT_GE(info.model_count(), 2);
  EXPECT_GT(info.limits().message_bytes(), 1000000);
  v1::GetStatisticsRequest request;
  request.set_per_model(true);
  v1::GetStatisticsResponse statistics;
  ASSERT_TRUE(Ask(request, &statistics).ok());
  bool found = false;
  for (const auto& row : statistics.methods()) {
    std::int64_t sum = 0;
    for (const std::int64_t n : row.bucket_counts()) sum += n;
    EXPECT_EQ(sum, row.calls()) << row.method();
    EXPECT_EQ(row.bucket_counts_size(), statistics.bucket_edges_us_size() + 1);
    found = found || (row.method() == "/torqued.v1.ModelService/CreateModel" && row.calls() > 0);
  }
  EXPECT_TRUE(found);
  const auto health = grpc::health::v1::Health::NewStub(channel_);
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse answer;
  ASSERT_TRUE(health->Check(&context, grpc::health::v1::HealthCheckRequest(), &answer).ok());
  EXPECT_EQ(answer.status(), grpc::health::v1::HealthCheckResponse::SERVING);
}

}  // namespace
}  // namespace torqued
