// The service in process: readers while models change, watches, idempotence, cancellation. Runs under ThreadSanitizer.
#include "server/service/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "proto/wire/errors.h"
#include "tests/contract/robots.h"

namespace torqued {
namespace {

using testing::TwoLink;

std::unique_ptr<Engine> Open() {
  auto engine = Engine::Open({});
  EXPECT_TRUE(engine.ok()) << engine.status();
  return std::move(*engine);
}

v1::CreateModelRequest NewModel(const std::string& id, double mass) {
  v1::CreateModelRequest request;
  request.set_model_id(id);
  request.mutable_source()->set_text(TwoLink(mass));
  return request;
}

v1::ComputeStaticTorqueRequest AtRest(const std::string& model) {
  v1::ComputeStaticTorqueRequest request;
  request.mutable_context()->set_model(model);
  for (int i = 0; i < 2; ++i) request.mutable_positions()->add_values(0);
  return request;
}

// While a model is replaced over and over, every answer belongs to the revision that it names.
TEST(Engine, ReadersSeeWholeRevisionsWhileModelsChange) {
  const auto engine = Open();
  v1::CreateModelResponse created;
  ASSERT_TRUE(engine->Ask(NewModel("arm", 1), &created).ok());
  constexpr int kUpdates = 60;
  std::map<std::string, double> mass_of{{created.model().revision(), 1}};
  std::atomic<bool> stop{false};
  std::atomic<int> answers{0};
  std::vector<std::thread> readers;
  std::vector<std::vector<std::pair<std::string, double>>> seen(3);
  for (auto& mine : seen)
    readers.emplace_back([&engine, &stop, &answers, &mine] {
      while (!stop) {
        v1::ComputeStaticTorqueResponse response;
        ASSERT_TRUE(engine->Ask(AtRest("models/arm"), &response).ok());
        const std::string revision = response.info().revision().substr(std::string("models/arm/revisions/").size());
        if (mine.empty() || mine.back().first != revision) mine.emplace_back(revision, response.efforts().values(1));
        ++answers;
      }
    });
  for (int i = 2; i < 2 + kUpdates; ++i) {
    v1::UpdateModelRequest update;
    update.set_name("models/arm");
    update.mutable_source()->set_text(TwoLink(i));
    v1::UpdateModelResponse updated;
    ASSERT_TRUE(engine->Ask(update, &updated).ok());
    mass_of[updated.model().revision()] = i;
    const int before = answers.load();
    while (answers.load() == before) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  for (const auto& mine : seen)
    for (const auto& [revision, effort] : mine) {
      ASSERT_EQ(mass_of.count(revision), 1u);
      EXPECT_NEAR(effort, 9.81 * 0.5 * mass_of[revision], 1e-9);
    }
}

TEST(Engine, TwoWritersOneWins) {
  const auto engine = Open();
  v1::CreateModelResponse created;
  ASSERT_TRUE(engine->Ask(NewModel("arm", 1), &created).ok());
  std::atomic<int> won{0}, lost{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      v1::UpdateModelRequest update;
      update.set_name("models/arm");
      update.set_etag(created.model().etag());
      update.mutable_source()->set_text(TwoLink(10 + i));
      v1::UpdateModelResponse updated;
      const absl::Status status = engine->Ask(update, &updated);
      (status.ok() ? won : lost)++;
      if (!status.ok()) {
        EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
      }
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 3);
}

TEST(Engine, WatchersHearEveryChangeOnceInOrder) {
  const auto engine = Open();
  std::vector<std::int64_t> positions;
  auto watch = engine->registry().Subscribe(0, [&](const ModelEvent& event) { positions.push_back(event.position); });
  ASSERT_TRUE(watch.ok());
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < 10; ++i) {
        v1::CreateModelResponse created;
        ASSERT_TRUE(engine->Ask(NewModel("m" + std::to_string(10 * w + i), 1 + i), &created).ok());
      }
    });
  for (std::thread& writer : writers) writer.join();
  engine->registry().Unsubscribe(watch->number);
  ASSERT_EQ(positions.size(), 30u);
  for (size_t i = 1; i < positions.size(); ++i) EXPECT_EQ(positions[i], positions[i - 1] + 1);
  EXPECT_EQ(engine->registry().snapshot()->position, positions.back());
}

TEST(Engine, ADeletedModelLivesAsLongAsItsCalls) {
  const auto engine = Open();
  v1::CreateModelResponse created;
  ASSERT_TRUE(engine->Ask(NewModel("arm", 1), &created).ok());
  const EntryPtr held = *engine->registry().FindEntry("name", "models/arm");
  ASSERT_TRUE(engine->registry().Delete("arm", {}).ok());
  EXPECT_EQ(engine->registry().FindReady("models/arm"), nullptr);
  Scratch scratch;
  v1::ComputeStaticTorqueResponse response;
  EXPECT_TRUE(Answer(Call{*held, scratch}, AtRest("models/arm"), &response).ok());
}

TEST(Engine, CancelledOrLateCallsStop) {
  const auto engine = Open();
  v1::CreateModelResponse created;
  ASSERT_TRUE(engine->Ask(NewModel("arm", 1), &created).ok());
  v1::ComputeInverseDynamicsRequest request;
  request.mutable_context()->set_model("models/arm");
  request.mutable_positions()->mutable_values()->Resize(200000, 0.1);
  v1::ComputeInverseDynamicsResponse response;
  Interrupt cancelled;
  cancelled.Cancel();
  EXPECT_EQ(engine->Ask(request, &response, &cancelled).code(), absl::StatusCode::kCancelled);
  const Interrupt late(absl::Now() - absl::Seconds(1));
  EXPECT_EQ(engine->Ask(request, &response, &late).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Engine, OneStateAndManyGiveTheSameBits) {
  const auto engine = Open();
  v1::CreateModelResponse created;
  ASSERT_TRUE(engine->Ask(NewModel("arm", 1.3), &created).ok());
  constexpr int kSamples = 37;
  v1::ComputeInverseDynamicsRequest all;
  all.mutable_context()->set_model("models/arm");
  for (int i = 0; i < kSamples; ++i)
    for (int k = 0; k < 2; ++k) {
      all.mutable_positions()->add_values(std::sin(i + 3 * k));
      all.mutable_velocities()->add_values(std::cos(2 * i + k));
      all.mutable_accelerations()->add_values(i - 5 * k);
    }
  v1::ComputeInverseDynamicsResponse answers;
  ASSERT_TRUE(engine->Ask(all, &answers).ok());
  for (int i = 0; i < kSamples; ++i) {
    v1::ComputeInverseDynamicsRequest one;
    *one.mutable_context() = all.context();
    for (int k = 0; k < 2; ++k) {
      one.mutable_positions()->add_values(all.positions().values(2 * i + k));
      one.mutable_velocities()->add_values(all.velocities().values(2 * i + k));
      one.mutable_accelerations()->add_values(all.accelerations().values(2 * i + k));
    }
    v1::ComputeInverseDynamicsResponse answer;
    ASSERT_TRUE(engine->Ask(one, &answer).ok());
    for (int k = 0; k < 2; ++k) EXPECT_EQ(answer.efforts().values(k), answers.efforts().values(2 * i + k));
  }
}

}  // namespace
}  // namespace torqued
