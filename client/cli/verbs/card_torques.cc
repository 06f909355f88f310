#include "client/cli/verbs/card_torques.h"

#include <absl/strings/str_cat.h>
#include <sys/prctl.h>
#include <time.h>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

constexpr long kLookNs = 20'000;  // between two looks for a question

void Set(const Eigen::MatrixXd& columns, v1::JointVectors* to) {
  to->mutable_values()->Add(columns.data(), columns.data() + columns.size());  // a column per sample: row-major rows on the wire
}

}  // namespace

TorqueBatch AskedTorques(Session& session, const v1::Context& context) {
  return [&session, context](const Eigen::MatrixXd& q, const Eigen::MatrixXd& v, const Eigen::MatrixXd& a) -> absl::StatusOr<Eigen::MatrixXd> {
    v1::ComputeInverseDynamicsRequest request;
    *request.mutable_context() = context;
    Set(q, request.mutable_positions());
    Set(v, request.mutable_velocities());
    Set(a, request.mutable_accelerations());
    const auto answer = session.Ask<v1::ComputeInverseDynamicsResponse>(request);
    if (!answer.ok()) return answer.status();
    const auto& efforts = answer->efforts().values();
    if (efforts.size() != q.size()) return absl::InternalError(absl::StrCat("torques: ", efforts.size(), " values, want ", q.size()));
    return Eigen::Map<const Eigen::MatrixXd>(efforts.data(), q.rows(), q.cols()).eval();
  };
}

void StreamTorques::Mailbox::Put(std::uint64_t number, const double* from, int count) noexcept {
  const std::uint64_t v = version.load(std::memory_order_relaxed);
  version.store(v + 1, std::memory_order_relaxed);
  // Released stores: who sees one of them sees the odd version too.
  sequence.store(number, std::memory_order_release);
  for (int i = 0; i < count; ++i) values[i].store(from[i], std::memory_order_release);
  version.store(v + 2, std::memory_order_release);
}

bool StreamTorques::Mailbox::Get(std::uint64_t* number, double* to, int count) const noexcept {
  const std::uint64_t before = version.load(std::memory_order_acquire);
  if (before == 0 || before % 2 != 0) return false;
  *number = sequence.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) to[i] = values[i].load(std::memory_order_acquire);
  return version.load(std::memory_order_acquire) == before;
}

StreamTorques::StreamTorques(Client& client, const Question& about, int axes, std::chrono::nanoseconds deadline)
    : axes_(axes), stream_(client.OpenStream(about, deadline)) {}

StreamTorques::~StreamTorques() { Finish(); }

void StreamTorques::Finish() {
  quit_ = true;
  if (thread_.joinable()) thread_.join();
}

absl::Status StreamTorques::WarmUp(const AxisArray& q) {
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(q.data(), axes_), rest = Eigen::VectorXd::Zero(axes_);
  absl::Status last;
  for (int attempt = 0; attempt < 2000; ++attempt) {
    last = stream_->InverseDynamics(at, rest, rest).status();
    if (last.code() != absl::StatusCode::kDeadlineExceeded) break;
  }
  if (last.ok()) thread_ = std::thread([this] { Run(); });
  return last;
}

bool StreamTorques::Ask(std::uint64_t sequence, const AxisArray& q, const AxisArray& v, const AxisArray& a) noexcept {
  double all[3 * kMaxAxes];
  for (int i = 0; i < axes_; ++i) all[i] = q[i], all[axes_ + i] = v[i], all[2 * axes_ + i] = a[i];
  question_.Put(sequence, all, 3 * axes_);
  return true;
}

bool StreamTorques::Answer(std::uint64_t sequence, AxisArray* tau) noexcept {
  std::uint64_t number = 0;
  return answer_.Get(&number, tau->data(), axes_) && number == sequence;
}

void StreamTorques::Run() {
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  std::uint64_t done = 0;
  while (!quit_.load(std::memory_order_relaxed)) {
    std::uint64_t sequence = 0;
    double all[3 * kMaxAxes];
    if (!question_.Get(&sequence, all, 3 * axes_) || sequence == done) {
      const timespec pause{0, kLookNs};
      clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
      continue;
    }
    done = sequence;
    const Eigen::Map<const Eigen::VectorXd> q(all, axes_), v(all + axes_, axes_), a(all + 2 * axes_, axes_);
    const auto tau = stream_->InverseDynamics(q, v, a);
    if (tau.ok() && tau->size() == axes_) {
      answer_.Put(sequence, tau->data(), axes_);
    } else if (!tau.ok()) {
      if (errors_++ == 0) first_error_ = tau.status();
    }
  }
}

}  // namespace torqued::cli
