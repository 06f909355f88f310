// Plans through a real server: the same as in process, in two calls; and a server that hangs, dies, or changes the model between
// two questions of one plan.
#include "client/remote/remote_dynamics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "client/planning/local_dynamics.h"
#include "client/planning/plan.h"
#include "client/torqued/status.h"
#include "server/robots/load.h"
#include "tests/cli/process.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued {
namespace {

using google::protobuf::Message;
using ::testing::HasSubstr;

constexpr char kArm[] = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="MASS"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.4 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.08" iyz="0" izz="0.08"/></inertial></link>
  <link name="hand"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="60" velocity="5"/><dynamics damping="0.3" friction="0.4"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="20" velocity="6"/></joint>
  <joint name="grip" type="fixed"><parent link="fore"/><child link="hand"/><origin xyz="0.8 0 0"/></joint>
</robot>
)";

std::string Arm(const std::string& mass) {
  std::string text = kArm;
  return text.replace(text.find("MASS"), 4, mass);
}

Eigen::VectorXd Vector(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

std::unique_ptr<Client> Open(const std::string& server, int deadline_ms = 20000, int attempts = 1) {
  ClientOptions options;
  options.server = server;
  options.deadline = std::chrono::milliseconds(deadline_ms);
  options.attempts = attempts;
  return Client::Open(options).value();
}

// A source whose question number `at` (counted from 1) is followed by `event`.
RemoteDynamics WithEvent(Client& client, const std::string& model, std::function<void(int answered)> event) {
  auto answered = std::make_shared<int>(0);
  return RemoteDynamics(
      [&client, answered, event = std::move(event)](const Message& request, Message& answer, RowWidths widths) {
        const absl::Status status = client.Call(request, answer, nullptr, widths);
        event(++*answered);
        return status;
      },
      Question(model).context());
}

TEST(RemoteDynamics, PlansAsTheSourceInProcessDoes) {
  TestServer server;
  const auto client = Open(server.address());
  RemoteDynamics remote(*client, Question("ur5e").Payload("tool0", 3, {0, 0, 0.05}));
  LocalOptions options;
  MassProperties load;
  load.mass = 3;
  load.com = Eigen::Vector3d(0, 0, 0.05);
  options.payloads.push_back({"tool0", load});
  auto model = LoadModelFile("deploy/robots/ur5e.yaml");
  ASSERT_TRUE(model.ok()) << model.status();
  auto local = LocalDynamics::Create(std::make_shared<const Model>(std::move(model->model)), options).value();

  const Eigen::VectorXd from = Vector({0, -1.5, 1.2, -1.2, -1.5, 0}), to = Vector({0.8, -1.1, 1.5, -1.8, -1.2, 0.5});
  const auto got = PlanPtp(remote, from, to), want = PlanPtp(*local, from, to);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_NEAR(got->timed->duration_s(), want->timed->duration_s(), 1e-6);
  ASSERT_EQ(got->trajectory.sample_count(), want->trajectory.sample_count());
  EXPECT_LT((got->trajectory.q - want->trajectory.q).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((got->trajectory.tau - want->trajectory.tau).cwiseAbs().maxCoeff(), 1e-3);

  // Frames, Jacobians and branches, one by one.
  Eigen::MatrixXd q(6, 2);
  q << from, to;
  const auto a = remote.Frames(q, true).value(), b = local->Frames(q, true).value();
  for (int k = 0; k < 2; ++k) {
    EXPECT_LT((a.X_WF[k].matrix() - b.X_WF[k].matrix()).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((a.J[k] - b.J[k]).cwiseAbs().maxCoeff(), 1e-12);
  }
  const auto x = remote.InverseKinematics(a.X_WF[1], from).value(), y = local->InverseKinematics(a.X_WF[1], from).value();
  ASSERT_EQ(x.solutions.size(), y.solutions.size());
  ASSERT_GE(x.solutions.size(), 2u);
  for (size_t k = 0; k < x.solutions.size(); ++k) {
    EXPECT_EQ(x.solutions[k].branch, y.solutions[k].branch);
    EXPECT_LT((x.solutions[k].q - y.solutions[k].q).norm(), 1e-9);
  }
}

TEST(RemoteDynamics, APlanIsTwoCalls) {
  TestServer server;
  const auto client = Open(server.address());
  std::vector<std::string> asked;
  RemoteDynamics source(
      [&](const Message& request, Message& answer, RowWidths widths) {
        asked.push_back(request.GetDescriptor()->name());
        return client->Call(request, answer, nullptr, widths);
      },
      Question("two-link").context());
  ASSERT_TRUE(source.Facts().ok());
  asked.clear();
  PtpOptions options;
  options.timing.cycle_s = 0.0005;  // large enough a batch to be looked at for splitting
  ASSERT_TRUE(PlanPtp(source, Vector({-1.5, 0}), Vector({0.7, -1}), options).ok());
  EXPECT_THAT(asked, ::testing::ElementsAre("ComputePathDynamicsRequest", "ComputeInverseDynamicsRequest"));
}

TEST(RemoteDynamics, AModelUpdatedDuringThePlanIsPlannedAgain) {
  TestServer server;
  const auto client = Open(server.address());
  ASSERT_TRUE(client->RegisterModel("arm", Arm("1")).ok());
  const Eigen::VectorXd from = Vector({-1.5, 0}), to = Vector({0.7, -1});
  RemoteDynamics source = WithEvent(*client, "arm", [&](int answered) {
    if (answered == 2) {  // after the grid, before the verification
      ASSERT_TRUE(client->UpdateModel("arm", Arm("2")).ok());
    }
  });
  PtpOptions once;
  once.timing.revision_attempts = 1;
  int tries = 0;
  const auto plan = PlanAgainIfChanged([&] { return ++tries, PlanPtp(source, from, to, once); });
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(plan->timed->revision, "models/arm/revisions/" + client->GetModel("arm")->revision());
  // It is the heavy arm's plan, not the light one's.
  RemoteDynamics fresh(*client, "arm");
  EXPECT_DOUBLE_EQ(plan->report.duration_s, PlanPtp(fresh, from, to)->report.duration_s);
  // The planner's own attempts work too, with facts asked anew.
  RemoteDynamics again = WithEvent(*client, "arm", [&](int answered) {
    if (answered == 2) {
      ASSERT_TRUE(client->UpdateModel("arm", Arm("3")).ok());
    }
  });
  const auto second = PlanPtp(again, from, to);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_GT(second->report.duration_s, plan->report.duration_s);
}

TEST(RemoteDynamics, AModelThatChangesAllTheTimeIsAClearFailure) {
  TestServer server;
  const auto client = Open(server.address());
  ASSERT_TRUE(client->RegisterModel("arm", Arm("1")).ok());
  RemoteDynamics source = WithEvent(*client, "arm", [&](int answered) {
    ASSERT_TRUE(client->UpdateModel("arm", Arm(std::to_string(answered + 1))).ok());
  });
  PtpOptions once;
  once.timing.revision_attempts = 1;
  int tries = 0;
  const auto plan = PlanAgainIfChanged([&] { return ++tries, PlanPtp(source, Vector({0, 0}), Vector({1, 1}), once); });
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("the model changed while planning: arm@"));
}

TEST(RemoteDynamics, APinnedRevisionDoesNotChange) {
  TestServer server;
  const auto client = Open(server.address());
  ASSERT_TRUE(client->RegisterModel("arm", Arm("1")).ok());
  const std::string pinned = "arm@" + client->GetModel("arm")->revision();
  RemoteDynamics source = WithEvent(*client, pinned, [&](int answered) {
    ASSERT_TRUE(client->UpdateModel("arm", Arm(std::to_string(answered + 1))).ok());
  });
  PtpOptions once;
  once.timing.revision_attempts = 1;
  const auto plan = PlanPtp(source, Vector({0, 0}), Vector({1, 1}), once);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->timed->revision, ModelResource(pinned));
}

TEST(RemoteDynamics, AServerThatDiesWhilePlanning) {
  TestServer server;
  const auto client = Open(server.address(), 2000);
  RemoteDynamics source = WithEvent(*client, "two-link", [&](int answered) {
    if (answered == 2) server.Stop(SIGKILL);
  });
  const auto plan = PlanPtp(source, Vector({0, 0}), Vector({1, 1}));
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kUnavailable) << plan.status();
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("the server was lost while planning, after 2 answers"));
}

TEST(RemoteDynamics, AServerThatHangsWhilePlanning) {
  TestServer server;
  const auto client = Open(server.address(), 300);
  RemoteDynamics source = WithEvent(*client, "two-link", [&](int answered) {
    if (answered == 2) server.Signal(SIGSTOP);
  });
  const auto plan = PlanPtp(source, Vector({0, 0}), Vector({1, 1}));
  server.Signal(SIGCONT);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kDeadlineExceeded) << plan.status();
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("after 2 answers"));
}

TEST(RemoteDynamics, NoServerAtAll) {
  const auto client = Open("127.0.0.1:1", 2000, 2);
  RemoteDynamics source(*client, "two-link");
  EXPECT_EQ(PlanPtp(source, Vector({0, 0}), Vector({1, 1})).status().code(), absl::StatusCode::kUnavailable);
}

// What an answer looks like that no server should give.
TEST(RemoteDynamics, DistrustsAnswers) {
  const auto facts = [](Message& answer) {
    v1::Model& model = *static_cast<v1::GetModelResponse&>(answer).mutable_model();
    model.set_name("models/m");
    model.set_revision("0123456789ab");
    v1::Coordinate& joint = *model.add_coordinates();
    joint.set_name("j");
    joint.set_kind(v1::JOINT_KIND_REVOLUTE);
    joint.set_effort(10);
    joint.set_velocity(1);
  };
  RemoteDynamics shorter(
      [&](const Message& request, Message& answer, RowWidths) {
        if (request.GetDescriptor()->name() == "GetModelRequest") return facts(answer), absl::OkStatus();
        auto& info = *static_cast<v1::ComputePathDynamicsResponse&>(answer).mutable_info();
        info.set_revision("models/m/revisions/0123456789ab");
        return absl::OkStatus();
      },
      Question("m").context());
  const absl::Status status = PlanPtp(shorter, Vector({0}), Vector({1})).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("0 values for m, want 1 x"));

  RemoteOptions late;
  late.deadline = std::chrono::milliseconds(1);
  RemoteDynamics slow(
      [&](const Message& request, Message& answer, RowWidths) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
        while (std::chrono::steady_clock::now() < until) continue;
        return facts(answer), absl::OkStatus();
      },
      Question("m").context(), late);
  ASSERT_TRUE(slow.Facts().ok());
  EXPECT_EQ(PlanPtp(slow, Vector({0}), Vector({1})).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(slow.call_count(), 1);
}

TEST(RemoteDynamics, AFloatingBaseIsRefused) {
  TestServer server;
  const auto client = Open(server.address());
  RemoteDynamics source(*client, "quadruped");
  const auto facts = source.Facts();
  EXPECT_EQ(facts.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(facts.status().message()), HasSubstr("more than one degree of freedom"));
}

}  // namespace
}  // namespace torqued
