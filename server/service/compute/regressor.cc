// Torque as a linear function of the inertial parameters, and the parameters that a recorded motion shows.
#include "server/core/dynamics/regressor.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cmath>

#include "server/core/dynamics/identify.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

RegressorColumns ColumnsOf(const ModelEntry& entry) {
  RegressorColumns columns;
  columns.links = static_cast<int>(entry.model().links.size());
  return columns;
}

// pi of every link as described; unknown inertias count as zero.
std::vector<double> LinkParametersOf(const Model& model) {
  std::vector<double> pi(kLinkParameters * model.links.size(), 0.0);
  for (size_t l = 0; l < model.links.size(); ++l)
    if (model.links[l].inertia)
      LinkParameters(ToBodyInertia(*model.links[l].inertia, Eigen::Isometry3d::Identity()), pi.data() + kLinkParameters * l);
  return pi;
}

// The friction columns' parameters: viscous, Coulomb positive, Coulomb negative per entry of v.
void AppendFriction(const Prepared& m, std::vector<double>& pi) {
  for (const Friction& f : m.friction)
    for (const double x : {f.viscous, f.coulomb_positive, f.coulomb_negative}) pi.push_back(x);
}

Eigen::MatrixXd BaseMap(const BaseParameters& base, int count) {
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(base.rank(), count);
  for (int i = 0; i < base.rank(); ++i) {
    map(i, base.independent[i]) = 1;
    for (size_t j = 0; j < base.dependent.size(); ++j) map(i, base.dependent[j]) = base.K(i, static_cast<int>(j));
  }
  return map;
}

// "forearm.m + 0.25 hand.m - hand.mcx".
std::vector<std::string> BaseNames(const BaseParameters& base, const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (int i = 0; i < base.rank(); ++i) {
    std::string name = columns[base.independent[i]];
    for (size_t j = 0; j < base.dependent.size(); ++j) {
      const double k = base.K(i, static_cast<int>(j));
      if (k == 0) continue;
      const std::string factor = std::abs(std::abs(k) - 1) < 1e-12 ? "" : absl::StrFormat("%.6g ", std::abs(k));
      absl::StrAppend(&name, k < 0 ? " - " : " + ", factor, columns[base.dependent[j]]);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeRegressorRequest& request,
                    v1::ComputeRegressorResponse* response) {
  const auto question = ReadQuestion(call, Needs::kNothing, false, request.context(), request.positions(),
                                     &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  const Prepared& m = call.entry.prepared;
  const RegressorColumns columns = ColumnsOf(call.entry);
  const int count = columns.Count(m);
  const size_t block = static_cast<size_t>(m.nv) * count;
  if (static_cast<double>(question->count()) * block > 2e7)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", question->count(), " samples of ", m.nv, " x ", count, " matrices; split the request"));
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  Eigen::MatrixXd Y(m.nv, count);
  response->mutable_regressor()->set_rows(m.nv);
  response->mutable_regressor()->set_cols(count);
  auto* values = response->mutable_regressor()->mutable_values();
  values->Reserve(static_cast<int>(block) * question->count());
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    Regressor(m, columns, question->asked.conditions, question->q().row(i), question->v().row(i), question->a().row(i),
              ws, Y.data());
    AppendRowMajor(Y, values);
  }
  if (absl::Status s = wire::CheckAnswer("regressor", *values, static_cast<int>(block)); !s.ok()) return s;
  for (const Link& link : call.entry.model().links) response->add_links(link.name);
  const std::vector<double> pi = LinkParametersOf(call.entry.model());
  Append(pi.data(), count, response->mutable_parameters());
  if (request.base_parameters()) {
    const BaseParameters base = FindBaseParameters(m, columns, question->asked.conditions);
    response->set_base_parameter_count(base.rank());
    response->mutable_base_map()->set_rows(base.rank());
    response->mutable_base_map()->set_cols(count);
    AppendRowMajor(BaseMap(base, count), response->mutable_base_map()->mutable_values());
  }
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

absl::Status Answer(const Call& call, const v1::IdentifyParametersRequest& request,
                    v1::IdentifyParametersResponse* response) {
  const auto question = ReadQuestion(call, Needs::kNothing, false, request.context(), request.positions(),
                                     &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  const auto efforts = ReadEfforts(call, request.efforts(), question->count(), false);
  if (!efforts.ok()) return efforts.status();
  const Prepared& m = call.entry.prepared;
  constexpr int kMostRows = 200000;
  if (question->count() * m.nv > kMostRows)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", question->count(), " samples, at most ", kMostRows / m.nv,
                                        " for an identification; take every k-th"));
  IdentifyOptions options;
  options.columns = ColumnsOf(call.entry);
  options.columns.friction = request.friction();
  std::vector<double> pi = LinkParametersOf(call.entry.model());
  if (request.friction()) AppendFriction(m, pi);
  options.guess = Eigen::Map<const Eigen::VectorXd>(pi.data(), static_cast<int>(pi.size()));
  const std::vector<double> still(m.nv, 0.0);
  std::vector<MotionSample> samples(question->count());
  for (int i = 0; i < question->count(); ++i)
    samples[i] = {question->q().row(i), question->v().data ? question->v().row(i) : still.data(),
                  question->a().data ? question->a().row(i) : still.data(), efforts->row(i)};
  const Identification found = Identify(m, question->asked.conditions, samples, options);
  const int r = found.base.rank();
  const bool complete = found.excited == r;
  for (const std::string& name : BaseNames(found.base, ColumnNames(m, options.columns))) response->add_names(name);
  Append(found.beta.data(), r, response->mutable_estimate());
  for (int i = 0; i < r; ++i) response->add_standard_deviation(std::sqrt(std::max(0.0, found.covariance(i, i))));
  const Eigen::VectorXd expected = found.base.Reduce(options.guess);
  Append(expected.data(), r, response->mutable_expected());
  AppendRowMajor(found.covariance, response->mutable_covariance());
  response->set_condition(std::isfinite(found.condition) ? found.condition : -1);
  response->set_residual_rms(std::sqrt(found.residual_rms.squaredNorm() / std::max(1, m.nv)));
  response->set_physically_feasible(complete && found.feasibility.feasible);
  if (!complete)
    response->set_feasibility(absl::StrCat("the motion shows ", found.excited, " of ", r,
                                           " combinations only; move all joints, faster and farther"));
  else if (found.feasibility.feasible)
    response->set_feasibility("real bodies with these parameters exist");
  else
    response->set_feasibility(absl::StrFormat(
        "no real bodies have exactly these parameters; the nearest ones explain the torques to %.3g Nm RMS",
        std::sqrt(found.nearest_residual_rms.squaredNorm() / std::max(1, m.nv))));
  if (absl::Status s = wire::CheckAnswer("estimate", response->estimate(), 0); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("covariance", response->covariance(), 0); !s.ok()) return s;
  return Conclude(call, *question, request.context(), efforts->data, true, response->mutable_info());
}

}  // namespace torqued
