#include "tests/conformance/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "server/core/dynamics/coriolis.h"
#include "server/core/dynamics/derivatives.h"
#include "server/core/dynamics/energy.h"
#include "server/core/dynamics/operational_space.h"
#include "server/core/dynamics/regressor.h"
#include "server/core/tree/prepare.h"

namespace torqued::conformance {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Names {
  const char* key;
  Expression expression;
};
constexpr Names kExpressions[] = {{"LOCAL_WORLD_ALIGNED", Expression::kWorldAligned},
                                  {"LOCAL", Expression::kBody},
                                  {"WORLD", Expression::kSpatial}};

class Comparer {
 public:
  explicit Comparer(const ReferenceRobot& robot)
      : robot_(robot), model_(BuildModel(robot)), m_(Prepare(model_)), c_(m_), ws_(m_), map_(robot.data, model_), n_(m_.nv) {
    for (size_t f = 0; f < m_.frame_names.size(); ++f)
      if (m_.frame_names[f] == robot.data.at("ee_frame")) frame_ = m_.frames[f], has_frame_ = true;
  }

  std::vector<Comparison> Run() {
    TotalMass();
    for (const nlohmann::json& s : robot_.data.at("states")) State(s);
    if (!robot_.derivatives.is_null())
      for (const nlohmann::json& s : robot_.derivatives.at("states")) Derivatives(s);
    if (!has_frame_) Add("ee_frame", MatrixXd::Constant(1, 1, NAN), MatrixXd::Zero(1, 1), 0);
    return out_;
  }

 private:
  void Add(const std::string& quantity, const MatrixXd& ours, const MatrixXd& theirs, double tolerance) {
    auto it = std::find_if(out_.begin(), out_.end(), [&](const Comparison& x) { return x.quantity == quantity; });
    if (it == out_.end()) it = out_.insert(out_.end(), {robot_.name, quantity, 0, tolerance, -1, 0});
    double d = NAN;
    if (ours.rows() == theirs.rows() && ours.cols() == theirs.cols() && ours.allFinite())
      d = theirs.size() ? (ours - theirs).cwiseAbs().maxCoeff() / std::max(1.0, theirs.cwiseAbs().maxCoeff()) : 0;
    ++it->count;
    // The conditioning of a state may widen its own tolerance: keep what is worst against it.
    const bool worse = !(d / tolerance <= it->difference / it->tolerance);
    if (it->state < 0 || (worse && !std::isnan(it->difference))) it->difference = d, it->tolerance = tolerance, it->state = state_;
  }

  void TotalMass() {
    double mass = 0;
    for (const BodyInertia& b : m_.inertias) mass += b.m;
    Add("total_mass", MatrixXd::Constant(1, 1, mass), MatrixXd::Constant(1, 1, robot_.data.at("total_mass").get<double>()), 1e-14);
  }

  void State(const nlohmann::json& s) {
    state_ = s.at("index");
    const VectorXd q = map_.Positions(ToVector(s.at("q"))), v = map_.Rates(ToVector(s.at("v"))), a = map_.Rates(ToVector(s.at("a")));
    const VectorXd tau_in = map_.Rates(ToVector(s.at("tau_in")));
    VectorXd x(n_);
    const auto check = [&](const char* key, double tolerance) { Add(key, map_.Back(x), ToVector(s.at(key)), tolerance); };
    InverseDynamics(m_, c_, q.data(), v.data(), a.data(), ws_, x.data());
    check("tau", 1e-12);
    GravityTorque(m_, c_, q.data(), ws_, x.data());
    check("g", 1e-12);
    CoriolisTorque<double>(m_, c_, q.data(), v.data(), ws_, x.data());
    check("c", 1e-12);
    BiasTorque<double>(m_, c_, q.data(), v.data(), ws_, x.data());
    check("nle", 1e-12);
    if (ForwardDynamics<double>(m_, c_, q.data(), v.data(), tau_in.data(), ws_, x.data()).ok()) check("qdd", 1e-10);
    else Add("qdd", MatrixXd::Constant(n_, 1, NAN), ToVector(s.at("qdd")), 1e-10);
    MatrixXd M(n_, n_);
    MassMatrix(m_, c_, q.data(), ws_, M.data());
    Add("M", map_.BackRows(map_.BackColumns(M)), ToMatrix(s.at("M")), 1e-12);

    const Energy<double> E = MechanicalEnergy(m_, c_, q.data(), v.data(), ws_);
    Add("kinetic_energy", MatrixXd::Constant(1, 1, E.kinetic), MatrixXd::Constant(1, 1, s.at("kinetic_energy").get<double>()), 1e-12);
    Add("potential_energy", MatrixXd::Constant(1, 1, E.potential), MatrixXd::Constant(1, 1, s.at("potential_energy").get<double>()), 1e-12);
    Add("com", ToEigen(CentreOfMass<double>(m_, c_, q.data(), nullptr, ws_).p), ToVector(s.at("com")), 1e-12);
    if (has_frame_) Hand(s, q, v);
  }

  void Hand(const nlohmann::json& s, const VectorXd& q, const VectorXd& v) {
    ForwardKinematics(m_, q.data(), ws_);
    const Pose<double> X = FramePose(frame_, ws_);
    Add("ee.p", ToEigen(X.p), ToVector(s.at("ee").at("p")), 1e-12);
    Add("ee.R", ToEigen(X.R), ToMatrix(s.at("ee").at("R")), 1e-12);
    for (const Names& e : kExpressions) {
      MatrixXd J(6, n_);
      VectorXd dotv(6);
      Jacobian(m_, frame_, e.expression, q.data(), ws_, J.data());
      JacobianDotV(m_, frame_, e.expression, q.data(), v.data(), ws_, dotv.data());
      Add(std::string("J.") + e.key, map_.BackColumns(J), ToMatrix(s.at("J").at(e.key)), 1e-12);
      Add(std::string("Jdot_v.") + e.key, dotv, ToVector(s.at("Jdot_v").at(e.key)), 1e-12);
    }
    OperationalSpace x;
    OperationalOptions o;
    o.tolerance = 1e-15;
    if (!OperationalSpaceSolver(m_).Solve(frame_, c_, o, q.data(), nullptr, x).ok()) x.L = MatrixXd::Constant(6, 6, NAN);
    Add("Lambda_inv", x.L, ToMatrix(s.at("Lambda_inv")), 1e-10);
    if (s.at("Lambda").is_null()) return;
    const double condition = s.at("Lambda_inv_cond").get<double>();
    Add("Lambda", x.M_x, ToMatrix(s.at("Lambda")), 1e-9 * std::max(1.0, condition * 1e-7));
  }

  void Derivatives(const nlohmann::json& d) {
    state_ = d.at("index");
    const nlohmann::json* s = nullptr;
    for (const nlohmann::json& x : robot_.data.at("states"))
      if (x.at("index") == d.at("index")) s = &x;
    if (!s) return;
    const VectorXd q = map_.Positions(ToVector(s->at("q"))), v = map_.Rates(ToVector(s->at("v"))), a = map_.Rates(ToVector(s->at("a")));
    const VectorXd tau_in = map_.Rates(ToVector(s->at("tau_in")));
    DerivativesWorkspace w(m_);
    MatrixXd dq(n_, n_), dv(n_, n_), Minv(n_, n_);
    const auto check = [&](const char* key, const MatrixXd& ours, double tolerance) {
      Add(key, map_.BackRows(map_.BackColumns(ours)), ToMatrix(d.at(key)), tolerance);
    };
    InverseDynamicsDerivatives(m_, c_, q.data(), v.data(), a.data(), w, dq.data(), dv.data());
    check("dtau_dq", dq, 1e-11);
    check("dtau_dv", dv, 1e-11);
    if (!ForwardDynamicsDerivatives(m_, c_, q.data(), v.data(), tau_in.data(), w, nullptr, dq.data(), dv.data(), Minv.data()).ok())
      Minv.setConstant(NAN);
    check("dqdd_dq", dq, 1e-9);
    check("dqdd_dv", dv, 1e-9);
    check("Minv", Minv, 1e-10);
    if (d.contains("regressor")) CompareRegressor(d, q, v, a);
  }

  void CompareRegressor(const nlohmann::json& d, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
    const RegressorColumns columns{static_cast<int>(model_.links.size())};
    MatrixXd Y(n_, columns.Count(m_));
    Regressor(m_, columns, c_, q.data(), v.data(), a.data(), ws_, Y.data());
    const nlohmann::json& joints = robot_.data.at("joints");
    MatrixXd ours(n_, kLinkParameters * static_cast<int>(joints.size()));
    VectorXd pi(ours.cols());
    for (size_t j = 0; j < joints.size(); ++j) {
      const int link = model_.FindLink(joints[j].at("child_link"));
      const int at = kLinkParameters * static_cast<int>(j);
      if (link < 0) return Add("regressor", MatrixXd::Constant(1, 1, NAN), MatrixXd::Zero(1, 1), 1e-11);
      ours.middleCols(at, kLinkParameters) = Y.middleCols(kLinkParameters * link, kLinkParameters);
      // What is lumped into the joint's body, about the link frame.
      Eigen::Isometry3d X_BL = Eigen::Isometry3d::Identity();
      X_BL.linear() = ToEigen(m_.frames[link].R);
      X_BL.translation() = ToEigen(m_.frames[link].p);
      LinkParameters(ToBodyInertia(ToMassProperties(m_.inertias[m_.frames[link].body]), X_BL.inverse()), pi.data() + at);
    }
    Add("regressor", map_.BackRows(ours), ToMatrix(d.at("regressor")), 1e-11);
    if (d.contains("dynamic_parameters")) Add("dynamic_parameters", pi, ToVector(d.at("dynamic_parameters")), 1e-12);
  }

  const ReferenceRobot& robot_;
  Model model_;
  Prepared m_;
  Conditions c_;
  Workspace<double> ws_;
  JointMap map_;
  int n_;
  BodyFrame frame_;
  bool has_frame_ = false;
  int state_ = -1;
  std::vector<Comparison> out_;
};

}  // namespace

std::vector<Comparison> Compare(const ReferenceRobot& robot) { return Comparer(robot).Run(); }

std::string Table(const std::vector<Comparison>& all) {
  std::string out = "robot                quantity                      worst      tolerance  state  states\n";
  for (const Comparison& x : all) {
    char line[160];
    std::snprintf(line, sizeof line, "%-20s %-28s %.3e  %.1e  %5d  %5d%s\n", x.robot.c_str(), x.quantity.c_str(), x.difference,
                  x.tolerance, x.state, x.count, x.ok() ? "" : "  FAILED");
    out += line;
  }
  return out;
}

}  // namespace torqued::conformance
