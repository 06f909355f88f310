#include "server/service/sweep/measure.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "server/compile/compiler.h"
#include "server/core/math/svd.h"
#include "server/service/compute/kernels.h"
#include "server/service/compute/question.h"

namespace torqued::sweep {
namespace {

// The robot under the context, prepared anew with its load inside: what the model's own programs may not answer, these do.
std::shared_ptr<const Batch> MakeBatch(const ModelEntry& entry, const Asked& asked,
                                       const std::vector<BodyInertia>& inertias, Method method, bool compile) {
  auto prepared = std::make_shared<Prepared>(entry.prepared);
  prepared->inertias = inertias;
  prepared->gravity = asked.conditions.gravity;
  prepared->tool_frame = asked.tool_frame;
  auto batch = std::make_shared<Batch>(std::move(prepared));
  if (compile) {
    compile::CompileLimits limits;
    limits.methods = 1u << static_cast<int>(method);
    batch->Install(compile::Compile(batch->model(), batch->kernels(), limits));
  }
  return batch;
}

std::vector<BodyInertia> InertiasOf(const ModelEntry& entry, const Asked& asked) {
  return {asked.conditions.inertias, asked.conditions.inertias + entry.prepared.body_count()};
}

class TorqueMeasure : public Measure {
 public:
  TorqueMeasure(const Sampler& sampler, const Asked& asked, std::shared_ptr<const Batch> batch)
      : moves_(sampler.has_velocity()), accelerates_(sampler.has_acceleration()), wrenches_(asked.wrenches),
        batch_(std::move(batch)), conditions_(batch_->model()) {
    conditions_.terms = asked.conditions.terms;
  }

  // Takes the limits of the request, else the model's; false: there is none.
  bool Describe(const ModelEntry& entry, const v1::SweepRequest& request) {
    const int nv = entry.nv();
    names_.resize(nv);
    beyond_.resize(nv);
    bool any = false;
    for (int k = 0; k < nv; ++k) {
      names_[k] = EntryName(entry, k);
      if (request.limits_size() > 0) beyond_[k] = {Beyond::kAbove, request.limits(k)};
    }
    if (request.limits_size() == 0)
      for (const Coordinate& c : entry.model().coordinates)
        if (VelocityCount(c.kind) == 1 && c.limits.effort) beyond_[c.v_index] = {Beyond::kAbove, *c.limits.effort};
    for (const Beyond& b : beyond_) any |= b.kind == Beyond::kAbove;
    return any;
  }

  absl::Status Rows(const Call& call, const StateBlock& states, int rows, MeasureScratch& scratch,
                    double* out) const override {
    batch_->InverseDynamics(conditions_, states.q.data(), moves_ ? states.v.data() : nullptr,
                            accelerates_ ? states.a.data() : nullptr, rows, out, scratch.batch);
    return AddWrenchTorques(call, wrenches_, {states.q.data(), rows, batch_->model().nq}, 1, out);
  }

  const Batch& batch() const override { return *batch_; }
  Method method() const override { return Method::kInverseDynamics; }

 private:
  const bool moves_, accelerates_;
  const std::vector<AskedWrench> wrenches_;
  const std::shared_ptr<const Batch> batch_;
  Conditions conditions_;
};

// Torque is linear in a point mass: tau(m) = tau(0) + m (tau(1 kg) - tau(0)).
class MarginMeasure final : public Measure {
 public:
  MarginMeasure(std::unique_ptr<TorqueMeasure> bare, std::unique_ptr<TorqueMeasure> heavier)
      : bare_(std::move(bare)), heavier_(std::move(heavier)) {
    names_ = bare_->names();
    names_.push_back("all");
    beyond_.assign(names_.size(), {Beyond::kBelow, 0});
  }

  absl::Status Rows(const Call& call, const StateBlock& states, int rows, MeasureScratch& scratch,
                    double* out) const override {
    const int nv = bare_->columns();
    const size_t size = static_cast<size_t>(rows) * nv;
    scratch.more.resize(2 * size);
    double *tau = scratch.more.data(), *loaded = tau + size;
    if (absl::Status s = bare_->Rows(call, states, rows, scratch, tau); !s.ok()) return s;
    if (absl::Status s = heavier_->Rows(call, states, rows, scratch, loaded); !s.ok()) return s;
    for (int r = 0; r < rows; ++r) {
      double least = kMostMargin;
      for (int k = 0; k < nv; ++k) {
        const size_t i = static_cast<size_t>(r) * nv + k;
        const double margin = Margin(tau[i], loaded[i] - tau[i], bare_->beyond()[k]);
        out[static_cast<size_t>(r) * (nv + 1) + k] = margin;
        least = std::min(least, margin);
      }
      out[static_cast<size_t>(r) * (nv + 1) + nv] = least;
    }
    return absl::OkStatus();
  }

  const Batch& batch() const override { return bare_->batch(); }
  Method method() const override { return Method::kInverseDynamics; }

 private:
  static double Margin(double tau, double per_kg, const Beyond& limit) {
    if (limit.kind == Beyond::kNever) return kMostMargin;
    const double spare = limit.limit - std::abs(tau);
    if (spare < 0) return std::max(spare / std::abs(per_kg), -kMostMargin);
    return std::min((limit.limit - (per_kg < 0 ? -tau : tau)) / std::abs(per_kg), kMostMargin);
  }

  const std::unique_ptr<TorqueMeasure> bare_, heavier_;
};

class SingularMeasure final : public Measure {
 public:
  SingularMeasure(const v1::SweepRequest& request, std::shared_ptr<const Batch> batch) : batch_(std::move(batch)) {
    const int count = std::min(6, batch_->model().nv);
    for (int k = 0; k < count; ++k) names_.push_back(absl::StrCat("singular_value_", k + 1));
    beyond_.resize(count);
    for (int k = 0; k < request.limits_size(); ++k) beyond_[k] = {Beyond::kBelow, request.limits(k)};
  }

  absl::Status Rows(const Call&, const StateBlock& states, int rows, MeasureScratch& scratch, double* out) const override {
    const Prepared& m = batch_->model();
    const int width = 6 * m.nv;
    scratch.more.resize(static_cast<size_t>(rows) * width);
    batch_->Jacobian(m.frames[m.tool_frame], Expression::kWorldAligned, states.q.data(), rows, scratch.more.data(),
                     scratch.batch);
    using RowMajor = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
    for (int r = 0; r < rows; ++r) {
      const Eigen::Map<const RowMajor> J(scratch.more.data() + static_cast<size_t>(r) * width, 6, m.nv);
      const Svd svd = ComputeSvd(J);
      std::copy(svd.s.data(), svd.s.data() + columns(), out + static_cast<size_t>(r) * columns());
    }
    return absl::OkStatus();
  }

  const Batch& batch() const override { return *batch_; }
  Method method() const override { return Method::kJacobian; }

 private:
  const std::shared_ptr<const Batch> batch_;
};

absl::Status CheckLimits(const v1::SweepRequest& request, int wanted) {
  if (request.limits_size() != 0 && request.limits_size() != wanted)
    return wire::BadField("limits", absl::StrCat(request.limits_size(), " values, want ", wanted), "WRONG_SIZE");
  for (int k = 0; k < request.limits_size(); ++k) {
    const std::string field = absl::StrCat("limits[", k, "]");
    if (absl::Status s = wire::CheckFinite(field, request.limits(k)); !s.ok()) return s;
    if (request.limits(k) < 0) return wire::BadField(field, absl::StrCat(request.limits(k), ", want at least 0"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Measure>> MakeMeasure(const Call& call, const v1::SweepRequest& request,
                                                     const Sampler& sampler, const v1::Payload* load,
                                                     const std::string& field, bool compile) {
  const ModelEntry& entry = call.entry;
  const auto asked = ResolveContext(call, request.context());
  if (!asked.ok()) return asked.status();
  if (absl::Status s = CheckWrenches(*asked, 1); !s.ok()) return s;
  std::vector<BodyInertia> inertias = InertiasOf(entry, *asked);
  if (load)
    if (absl::Status s = AddPayload(call, entry.prepared, *asked, field, *load, inertias); !s.ok()) return s;

  const bool singular = request.quantity() == v1::SweepRequest::QUANTITY_SINGULAR_VALUES;
  if (absl::Status s = CheckLimits(request, singular ? std::min(6, entry.nv()) : entry.nv()); !s.ok()) return s;
  if (singular)
    return std::make_unique<SingularMeasure>(request, MakeBatch(entry, *asked, inertias, Method::kJacobian, compile));

  if (absl::Status s = RequireInertias(call, *asked); !s.ok()) return s;
  const auto torque = [&](const std::vector<BodyInertia>& with) {
    return std::make_unique<TorqueMeasure>(sampler, *asked,
                                           MakeBatch(entry, *asked, with, Method::kInverseDynamics, compile));
  };
  auto bare = torque(inertias);
  const bool limited = bare->Describe(entry, request);
  if (request.quantity() != v1::SweepRequest::QUANTITY_PAYLOAD_MARGIN) return absl::StatusOr<std::unique_ptr<Measure>>(std::move(bare));

  if (!limited)
    return wire::Precondition("NO_LIMITS", "model", {entry.id},
                              absl::StrCat("model '", entry.id, "' has no effort limits: give them in the request (limits)"));
  v1::Payload kilogram;
  kilogram.set_mass(1);
  *kilogram.mutable_center_of_mass() = request.margin_point();
  if (absl::Status s = wire::CheckFinite("margin_point", request.margin_point()); !s.ok()) return s;
  if (absl::Status s = AddPayload(call, entry.prepared, *asked, "margin_point", kilogram, inertias); !s.ok()) return s;
  auto heavier = torque(inertias);
  heavier->Describe(entry, request);
  return std::make_unique<MarginMeasure>(std::move(bare), std::move(heavier));
}

}  // namespace torqued::sweep
