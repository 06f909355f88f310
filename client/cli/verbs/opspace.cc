// torquectl opspace: the equation of motion as the hand feels it.
#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

class Opspace : public Verb {
 public:
  VerbText Text() const override {
    return {"opspace",
            kDynamics,
            "operational space: inertia M_x, velocity force U_x, gravity force G_x at the hand",
            {"opspace puma560 --q 0,45,180,0,45,0 --deg",
             "opspace two-link --q 30,60 --deg --v 1,1 --xdd 1,0,0,0,0,0 --rows x,y"},
            "F = M_x xdd + U_x + G_x, tau = J^T F. Near singularities the answer says how they "
            "were handled."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV, false, true);
    options.Group("Question");
    options.Text("--xdd", xdd_, "AX,AY,AZ,ALX,ALY,ALZ",
                 "wanted acceleration of the frame: the force for it is answered");
    options.Text("--frame", frame_, "NAME", "frame or link; default: the tool frame");
    options.Choice("--expression", expression_, {"world-aligned", "body", "spatial"},
                   "axes and point (default: world-aligned)");
    options.Text("--rows", rows_, "LIST",
                 "which rows are the task, such as x,y; default: all that the robot can move");
    options.Text("--damping", damping_, "LAMBDA",
                 "damping near singularities; default: directions that are lost are left out");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeOperationalSpaceRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    request.set_frame(frame_);
    request.set_expression(ParseExpression(expression_));
    const auto rows = ParseRows("--rows", rows_);
    if (!rows.ok()) return rows.status();
    for (const int row : *rows) request.add_task_rows(row);
    if (!damping_.empty()) {
      const auto damping = ParseNumber("--damping", damping_);
      if (!damping.ok()) return damping.status();
      request.set_damping(*damping);
    }
    if (!xdd_.empty()) {
      const auto xdd = ParseNumbers("--xdd", xdd_, 6, "AX,AY,AZ,ALX,ALY,ALZ");
      if (!xdd.ok()) return xdd.status();
      for (int s = 0; s < subject->states.count; ++s)
        request.mutable_frame_accelerations()->Add(xdd->begin(), xdd->end());
    }
    const auto answer = session.Ask<v1::ComputeOperationalSpaceResponse>(request);
    if (!answer.ok()) return answer.status();
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->results_size(); ++s) AddSheets(sheets, *subject, *answer, s);
    session.Show(*answer, sheets);
    return Exit::kOk;
  }

 private:
  static void AddSheets(std::vector<Sheet>& sheets, const Subject& subject,
                        const v1::ComputeOperationalSpaceResponse& answer, int s) {
    static const std::vector<std::string> kRows = {"x", "y", "z", "rx", "ry", "rz"};
    const auto& result = answer.results(s);
    std::vector<std::string> task;
    for (const int row : answer.task_rows())
      task.push_back(row >= 0 && row < 6 ? kRows[static_cast<size_t>(row)] : "?");
    v1::Matrices inertia;
    inertia.set_rows(answer.task_rows_size());
    inertia.set_cols(answer.task_rows_size());
    *inertia.mutable_values() = result.inertia();
    sheets.push_back(MatrixSheet(
        SampleTitle(subject.states, s,
                    Headline("operational inertia M_x", answer.info()) + ", " + result.handling()),
        inertia, 0, task, task));
    Sheet forces{"forces", {""}, {}};
    for (const std::string& row : task) forces.rows.push_back({row});
    const auto add = [&](const char* name, const google::protobuf::RepeatedField<double>& values) {
      if (values.size() != static_cast<int>(task.size())) return;
      forces.columns.push_back(name);
      for (int i = 0; i < values.size(); ++i)
        forces.rows[static_cast<size_t>(i)].push_back(values[i]);
    };
    add("U_x", result.velocity_force());
    add("G_x", result.gravity_force());
    add("F", result.force());
    sheets.push_back(forces);
    if (result.joint_efforts_size() == 0) return;
    Sheet torques{"J^T F", {"joint", "torque", "unit"}, {}};
    const auto columns = Columns(subject.model, Quantity::kEffort);
    for (size_t i = 0; i < columns.size() && static_cast<int>(i) < result.joint_efforts_size(); ++i)
      torques.rows.push_back(
          {columns[i].id, result.joint_efforts(static_cast<int>(i)), columns[i].unit});
    sheets.push_back(torques);
  }

  SubjectOptions subject_;
  std::string xdd_, frame_, expression_, rows_, damping_;
};

}  // namespace

std::unique_ptr<Verb> MakeOpspace() { return std::make_unique<Opspace>(); }

}  // namespace torqued::cli
