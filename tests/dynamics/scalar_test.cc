// Is every algorithm one template over any scalar, and does none allocate? A scalar that can do only what scalar.h asks for:
// no comparison, no conversion to double, no Eigen.
#include <gtest/gtest.h>

#include <random>

#include "tests/dynamics/allocations.h"
#include "tests/dynamics/evaluate.h"
#include "tests/oracle/random_tree.h"

namespace torqued {
namespace {

class Toy {
 public:
  Toy() = default;
  explicit Toy(double x) : x_(x) {}
  double value() const { return x_; }
  friend Toy operator+(Toy a, Toy b) { return Toy(a.x_ + b.x_); }
  friend Toy operator-(Toy a, Toy b) { return Toy(a.x_ - b.x_); }
  friend Toy operator*(Toy a, Toy b) { return Toy(a.x_ * b.x_); }
  friend Toy operator/(Toy a, Toy b) { return Toy(a.x_ / b.x_); }
  friend Toy operator+(Toy a, double b) { return Toy(a.x_ + b); }
  friend Toy operator+(double a, Toy b) { return Toy(a + b.x_); }
  friend Toy operator-(Toy a, double b) { return Toy(a.x_ - b); }
  friend Toy operator-(double a, Toy b) { return Toy(a - b.x_); }
  friend Toy operator*(Toy a, double b) { return Toy(a.x_ * b); }
  friend Toy operator*(double a, Toy b) { return Toy(a * b.x_); }
  friend Toy operator/(Toy a, double b) { return Toy(a.x_ / b); }
  friend Toy operator/(double a, Toy b) { return Toy(a / b.x_); }
  friend Toy operator-(Toy a) { return Toy(-a.x_); }
  friend void SinCos(Toy a, Toy& s, Toy& c) { torqued::SinCos(a.x_, s.x_, c.x_); }
  friend Toy sqrt(Toy a) { return Toy(std::sqrt(a.x_)); }
  friend Toy exp(Toy a) { return Toy(std::exp(a.x_)); }
  friend Toy tanh(Toy a) { return Toy(std::tanh(a.x_)); }
  friend Toy Sign(Toy a) { return Toy(torqued::Sign(a.x_)); }
  friend Toy SelectPositive(Toy a, Toy yes, Toy no) { return a.x_ > 0 ? yes : no; }

 private:
  double x_;
};

static_assert(Scalar<Toy>);
static_assert(Scalar<double>);

double Value(double x) { return x; }
double Value(Toy x) { return x.value(); }

// Runs everything once and collects all numbers.
template <class T>
std::vector<double> Everything(const Prepared& m, const oracle::State& s) {
  const Conditions c(m);
  Workspace<T> ws(m);
  std::vector<T> q, v, a;
  for (double x : s.q) q.push_back(T(x));
  for (double x : s.v) v.push_back(T(x));
  for (double x : s.a) a.push_back(T(x));
  const int n = m.nv;
  std::vector<T> tau(n, T(0.0)), qdd(n, T(0.0)), M(n * n, T(0.0)), C(n * n, T(0.0)), D(n * n * n, T(0.0)), J(6 * n, T(0.0)),
      dot(6, T(0.0)), held(n, T(0.0));
  std::vector<ForcePair<T>> forces(m.link_count);
  const BodyFrame& f = m.frames[m.tool_frame];
  const ForcePair<T> F{{T(1.0), T(2.0), T(3.0)}, {T(4.0), T(5.0), T(6.0)}};
  const ExternalWrench<T> wrench{f, WrenchAxes::kOfFrame, F};

  const long before = AllocationCount();
  InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, tau.data());
  MassMatrix(m, c, q.data(), ws, M.data());
  CoriolisMatrix(m, c, q.data(), v.data(), ws, C.data());
  CoriolisCoefficients(m, c, q.data(), ws, D.data());
  ForwardDynamicsByMassMatrix(m, c, q.data(), v.data(), tau.data(), ws, qdd.data());
  if (!m.coupled && m.simple_rotors)
    ForwardDynamicsByArticulatedBodies(m, c, q.data(), v.data(), tau.data(), ws, qdd.data());
  Jacobian(m, f, Expression::kBody, q.data(), ws, J.data());
  JacobianDotV(m, f, Expression::kSpatial, q.data(), v.data(), ws, dot.data());
  WrenchTorque(m, f, WrenchAxes::kOfFrame, F, q.data(), ws, held.data());
  LinkForces(m, c, q.data(), v.data(), a.data(), &wrench, 1, ws, forces.data());
  const PowerBalance<T> power = Power(m, c, q.data(), v.data(), a.data(), ws);
  const Energy<T> energy = MechanicalEnergy(m, c, q.data(), v.data(), ws);
  const MassCentre<T> centre = CentreOfMass(m, c, q.data(), v.data(), ws);
  EXPECT_EQ(AllocationCount(), before);

  std::vector<double> all;
  for (const auto& x : {tau, M, C, D, qdd, J, dot, held})
    for (const T& y : x) all.push_back(Value(y));
  for (const ForcePair<T>& x : forces)
    for (int k = 0; k < 3; ++k) all.push_back(Value(x.f[k])), all.push_back(Value(x.n[k]));
  for (const T& x : {power.input, power.friction, power.kinetic_rate, energy.kinetic, energy.potential, energy.springs,
                     centre.p.x, centre.v.z})
    all.push_back(Value(x));
  return all;
}

TEST(ScalarTest, EveryAlgorithmRunsOnAMinimalScalarWithoutAllocating) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = oracle::RandomTree(seed, oracle::VariedOptions(seed, 9));
    const Prepared m = Prepare(model);
    std::mt19937_64 random(seed);
    const oracle::State s = oracle::RandomState(model, random);
    EXPECT_EQ(Everything<Toy>(m, s), Everything<double>(m, s));
  }
}

}  // namespace
}  // namespace torqued
