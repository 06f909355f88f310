// The hand's own equation of motion: F = M_x xdd + U_x + G_x.
#include "server/core/dynamics/operational_space.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeOperationalSpaceRequest& request,
                    v1::ComputeOperationalSpaceResponse* response) {
  const auto question = ReadQuestion(call, Needs::kInvertibleMass, false, request.context(), request.positions(),
                                     &request.velocities());
  if (!question.ok()) return question.status();
  const auto expression = ReadExpression("expression", request.expression());
  if (!expression.ok()) return expression.status();
  const auto frame = AskedFrame(call, question->asked, "frame", request.frame());
  if (!frame.ok()) return frame.status();
  const auto rows = ReadTaskRows(call, "task_rows", request.task_rows(), *frame, *expression);
  if (!rows.ok()) return rows.status();
  const auto wanted =
      wire::ReadPlainRows("frame_accelerations", request.frame_accelerations(), 6, question->count(), true, true);
  if (!wanted.ok()) return wanted.status();
  OperationalOptions options;
  options.rows = *rows;
  options.expression = *expression;
  if (request.has_damping()) {
    if (!(request.damping() > 0 && request.damping() < 1))
      return wire::BadField("damping", absl::StrCat(request.damping(), ", want between 0 and 1 (share of the largest eigenvalue)"));
    options.treatment = SingularTreatment::kDamped;
    options.damping = request.damping();
  }
  const Prepared& m = call.entry.prepared;
  const int r = static_cast<int>(rows->size());
  OperationalSpaceSolver solver(m);
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  Eigen::MatrixXd J(6, m.nv);
  for (const int row : *rows) response->add_task_rows(row);
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i * 8); !s.ok()) return s;
    OperationalSpace found;
    const SolveStatus status = solver.Solve(m.frames[*frame], question->asked.conditions, options,
                                            question->q().row(i), question->v().row(i), found);
    if (!status.ok()) return SingularMass(call, i, status.singular);
    auto* out = response->add_results();
    AppendRowMajor(found.M_x, out->mutable_inertia());
    Append(found.U_x.data(), r, out->mutable_velocity_force());
    Append(found.G_x.data(), r, out->mutable_gravity_force());
    if (wanted->data) {
      const Eigen::VectorXd xdd =
          SelectEntries(Eigen::Map<const Eigen::VectorXd>(wanted->row_or_one(i), 6), *rows);
      const Eigen::VectorXd F = found.M_x * xdd + found.U_x + found.G_x;
      Append(F.data(), r, out->mutable_force());
      Jacobian(m, m.frames[*frame], *expression, question->q().row(i), ws, J.data());
      const Eigen::VectorXd tau = SelectRows(J, *rows).transpose() * F;
      Append(tau.data(), m.nv, out->mutable_joint_efforts());
    }
    out->set_rank(found.rank);
    out->set_singular(found.singular);
    if (options.treatment == SingularTreatment::kDamped)
      out->set_handling(absl::StrFormat("damped %g", options.damping));
    else
      out->set_handling(found.singular ? absl::StrCat("reduced to ", found.rank, " directions") : "exact");
    if (found.lost.cols() > 0) AppendRowMajor(found.lost.transpose(), out->mutable_lost_directions());
    for (const auto* field : {&out->inertia(), &out->velocity_force(), &out->gravity_force(), &out->force()})
      if (absl::Status s = wire::CheckAnswer("results", *field, 0); !s.ok()) return s;
  }
  response->mutable_info()->set_frame(m.frame_names[*frame]);
  response->mutable_info()->set_expression(ToProto(*expression));
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

}  // namespace torqued
