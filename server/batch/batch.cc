#include "server/batch/batch.h"

namespace torqued {

bool Batch::Install(std::shared_ptr<const ProgramSet> programs) {
  if (programs == nullptr || programs->lanes != kernels_.lanes || installing_.exchange(true)) return false;
  owned_programs_ = std::move(programs);
  programs_.store(owned_programs_.get(), std::memory_order_release);
  return true;
}

const BlockProgram* Batch::ProgramFor(Method m, const Conditions& c) const {
  const ProgramSet* set = programs_.load(std::memory_order_acquire);
  if (set == nullptr || set->of(m) == nullptr) return nullptr;
  const Terms& t = c.terms;
  const Vec3<double>&g = c.gravity, &own = model_->gravity;
  const bool same = c.inertias == model_->inertias.data() && t.inertia && t.velocity && t.gravity && t.rotor && t.springs &&
                    g.x == own.x && g.y == own.y && g.z == own.z;
  return same ? set->of(m) : nullptr;
}

std::string Batch::KernelName(Method m) const {
  const bool compiled = ProgramFor(m, Conditions(*model_)) != nullptr;
  return std::string(kernels_.name) + (compiled ? " compiled" : " template");
}

int Batch::InstructionCount(Method m) const {
  const ProgramSet* set = programs_.load(std::memory_order_acquire);
  return set == nullptr ? 0 : set->instructions[static_cast<int>(m)];
}

std::string Batch::TemplateReason(Method m) const {
  const ProgramSet* set = programs_.load(std::memory_order_acquire);
  if (set == nullptr) return expected_.load(std::memory_order_relaxed) ? "its code is being made" : "compiling is switched off";
  if (set->of(m) != nullptr) return "";
  const char* reason = set->reasons[static_cast<int>(m)];
  return reason ? reason : "no program was made";
}

void Batch::InverseDynamics(const Conditions& c, const double* q, const double* v, const double* a, int count,
                            double* tau, BatchScratch& s) const {
  const StateRows in{q, v, a, count};
  if (const BlockProgram* p = ProgramFor(Method::kInverseDynamics, c)) {
    const ProgramOutput out{0, model_->nv, tau, 0, c.terms.friction && model_->has_friction && v != nullptr};
    kernels_.run_program(*model_, *p, in, s.For(kernels_), &out, 1);
  } else {
    kernels_.inverse_dynamics(*model_, c, in, s.For(kernels_), tau);
  }
}

void Batch::Gravity(const Conditions& c, const double* q, int count, double* g, BatchScratch& s) const {
  const StateRows in{q, nullptr, nullptr, count};
  if (const BlockProgram* p = ProgramFor(Method::kGravity, c)) {
    const ProgramOutput out{0, model_->nv, g};
    kernels_.run_program(*model_, *p, in, s.For(kernels_), &out, 1);
  } else {
    kernels_.gravity(*model_, c, in, s.For(kernels_), g);
  }
}

void Batch::MassMatrix(const Conditions& c, const double* q, int count, MatrixLayout layout, double* M,
                       BatchScratch& s) const {
  EquationRows out;
  out.mass_matrix = M;
  out.layout = layout;
  EquationOfMotion(c, q, nullptr, count, out, s);
}

void Batch::EquationOfMotion(const Conditions& c, const double* q, const double* v, int count, const EquationRows& out,
                             BatchScratch& s) const {
  const StateRows in{q, v, nullptr, count};
  const bool only_matrix = !out.velocity_torque && !out.gravity;
  const BlockProgram* p = ProgramFor(only_matrix ? Method::kMassMatrix : Method::kEquationOfMotion, c);
  if (p == nullptr || !out.mass_matrix || out.friction || out.springs) {
    kernels_.equation_of_motion(*model_, c, in, s.For(kernels_), out);
    return;
  }
  const int n = model_->nv, triangle = MatrixWidth(MatrixLayout::kPackedUpper, n);
  ProgramOutput sections[3];
  int k = 0;
  sections[k++] = {0, triangle, out.mass_matrix, out.layout == MatrixLayout::kFull ? n : 0};
  if (out.velocity_torque) sections[k++] = {triangle, n, out.velocity_torque};
  if (out.gravity) sections[k++] = {triangle + n, n, out.gravity};
  kernels_.run_program(*model_, *p, in, s.For(kernels_), sections, k);
}

bool Batch::ForwardDynamics(const Conditions& c, const double* q, const double* v, const double* tau, int count,
                            double* a, int* singular, BatchScratch& s) const {
  const StateRows in{q, v, tau, count};
  if (const BlockProgram* p = ProgramFor(Method::kForwardDynamics, c))
    return kernels_.run_forward_dynamics(*model_, c, *p, in, s.For(kernels_), a, singular);
  return kernels_.forward_dynamics(*model_, c, in, s.For(kernels_), a, singular);
}

void Batch::Jacobian(const BodyFrame& f, Expression e, const double* q, int count, double* J, BatchScratch& s) const {
  const StateRows in{q, nullptr, nullptr, count};
  const BlockProgram* p = ProgramFor(Method::kJacobian, Conditions(*model_));
  if (p != nullptr && e == Expression::kWorldAligned && &f == &model_->frames[model_->tool_frame]) {
    const ProgramOutput out{0, 6 * model_->nv, J};
    kernels_.run_program(*model_, *p, in, s.For(kernels_), &out, 1);
  } else {
    kernels_.jacobian(*model_, f, e, in, s.For(kernels_), J);
  }
}

void Batch::ForwardKinematics(const int* frames, int frame_count, const double* q, int count, double* poses,
                              BatchScratch& s) const {
  kernels_.forward_kinematics(*model_, frames, frame_count, {q, nullptr, nullptr, count}, s.For(kernels_), poses);
}

void Batch::PathDynamics(const Conditions& c, const double* q, const double* dq, const double* ddq, int count,
                         const PathRows& out, BatchScratch& s) const {
  const StateRows in{q, dq, ddq, count};
  if (const BlockProgram* p = ProgramFor(Method::kPathDynamics, c)) {
    const int n = model_->nv;
    const ProgramOutput sections[3] = {{0, n, out.m}, {n, n, out.c}, {2 * n, n, out.g}};
    kernels_.run_program(*model_, *p, in, s.For(kernels_), sections, 3);
  } else {
    kernels_.path_dynamics(*model_, c, in, s.For(kernels_), out);
  }
}

}  // namespace torqued
