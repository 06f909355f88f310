// torquectl ik: which joint positions bring the hand there?
#include <absl/strings/str_cat.h>

#include <cmath>
#include <numbers>

#include "client/cli/csv.h"
#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "client/torqued/question.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {
namespace {

// Fixed axes: Rz(yaw) Ry(pitch) Rx(roll), as qx qy qz qw.
std::vector<double> FromRollPitchYaw(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll / 2), sr = std::sin(roll / 2), cp = std::cos(pitch / 2),
               sp = std::sin(pitch / 2), cy = std::cos(yaw / 2), sy = std::sin(yaw / 2);
  return {sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
          cr * cp * cy + sr * sp * sy};
}

class Ik : public Verb {
 public:
  VerbText Text() const override {
    return {"ik",
            kKinematics,
            "joint positions for a pose: all branches in closed form, else numerically",
            {"ik ur5e --xyz 0.4,0.2,0.5 --rpy 180,0,90 --deg",
             "ik two-link --xyz 0.7,0.3,0 --rows x,y,z",
             "ik ur5e --xyz 0.4,0.2,0.5 --rpy 180,0,0 --deg --rows x,y,z,wx,wy --expression body",
             "ik puma560 --pose 0.3,0.1,0.4,0,0,0,1 --seed zero --respect-limits",
             "ik scara --poses points.csv --csv"},
            "A pose out of reach ends with exit code 3, and says by how much. --poses FILE.csv: "
            "columns x[m] y[m] z[m] qx qy qz qw."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "model: id, id@revision; with --local also a robot file");
    options.Group("Pose");
    options.Text("--xyz", xyz_, "X,Y,Z", "position of the frame's origin in the world [m]");
    options.Text("--rpy", rpy_, "R,P,Y",
                 "orientation about the world's x, y, z in turn [rad], with --deg degrees");
    options.Text("--pose", pose_, "X,Y,Z,QX,QY,QZ,QW", "position [m] and unit quaternion");
    options.Text("--poses", file_, "FILE.csv", "many poses");
    options.Group("Question");
    options.Text("--seed", seed_, "Q1,Q2,...",
                 "start of the search; the nearest solution comes first; 'zero'");
    options.Flag("--deg", degrees_,
                 "--rpy, --seed and the printed table of revolute joints are in degrees");
    options.Text("--frame", frame_, "NAME", "frame that shall be there; default: the tool frame");
    options.Text("--rows", rows_, "LIST",
                 "only these matter, any of x,y,z,wx,wy,wz: x,y,z is the position");
    options.Choice("--expression", expression_, {"world-aligned", "body"},
                   "axes of the rows; body: those of the wanted frame, so that x,y,z,wx,wy leave the "
                   "turn about its z free");
    options.Flag("--respect-limits", respect_limits_, "leave out solutions outside joint limits");
    options.Text("--tool", tool_, "FRAME", "tool frame instead of the model's");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto model = session.GetModel(model_);
    if (!model.ok()) return model.status();
    v1::ComputeInverseKinematicsRequest request;
    const auto name = (*session.backend())->ModelName(model_, v1::BASE_UNSPECIFIED);
    request.mutable_context()->set_model(*name);
    request.mutable_context()->set_tool_frame(tool_);
    if (absl::Status status = ReadPoses(request); !status.ok()) return status;
    const auto columns = Columns(*model, Quantity::kPosition);
    if (!seed_.empty()) {
      std::vector<double> zeros(columns.size());
      const auto seed =
          seed_ == "zero"
              ? absl::StatusOr<std::vector<double>>(zeros)
              : ParseNumbers("--seed", seed_, static_cast<int>(columns.size()), Describe(columns));
      if (!seed.ok()) return seed.status();
      for (size_t i = 0; i < columns.size(); ++i)
        request.mutable_seeds()->add_values(
            (*seed)[i] * (degrees_ && columns[i].angular ? std::numbers::pi / 180 : 1));
    }
    request.set_frame(frame_);
    const auto rows = ParseRows("--rows", rows_);
    if (!rows.ok()) return rows.status();
    for (const int row : *rows) request.mutable_task()->add_rows(row);
    request.set_expression(ParseExpression(expression_));
    request.set_respect_limits(respect_limits_);
    const auto answer = session.Ask<v1::ComputeInverseKinematicsResponse>(request);
    if (!answer.ok()) return answer.status();
    session.Show(*answer, {Solutions(*answer, columns)});
    bool reached = true;
    for (int i = 0; i < answer->results_size(); ++i) {
      const auto& result = answer->results(i);
      reached = reached && result.reached();
      if (!result.message().empty() && (session.for_people() || !result.reached()))
        session.err() << "pose " << i + 1 << ": " << result.message() << "\n";
    }
    return reached ? Exit::kOk : Exit::kInfeasible;
  }

 private:
  absl::Status ReadPoses(v1::ComputeInverseKinematicsRequest& request) const {
    auto* poses = request.mutable_poses();
    const int given = (pose_.empty() ? 0 : 1) + (xyz_.empty() ? 0 : 1) + (file_.empty() ? 0 : 1);
    if (given != 1) return absl::InvalidArgumentError("--xyz, --pose, --poses: want one of them");
    if (!file_.empty()) {
      const auto table = ReadCsv(file_);
      if (!table.ok()) return table.status();
      if (table->header.size() != 7)
        return absl::InvalidArgumentError(absl::StrCat(
            file_, ": ", table->header.size(), " columns, want 7: x[m],y[m],z[m],qx,qy,qz,qw"));
      poses->mutable_values()->Add(table->values.begin(), table->values.end());
      return absl::OkStatus();
    }
    if (!pose_.empty()) {
      const auto pose = ParseNumbers("--pose", pose_, 7, "X,Y,Z,QX,QY,QZ,QW");
      if (!pose.ok()) return pose.status();
      poses->mutable_values()->Add(pose->begin(), pose->end());
      return absl::OkStatus();
    }
    const auto xyz = ParseNumbers("--xyz", xyz_, 3, "X,Y,Z");
    const auto rpy = ParseNumbers("--rpy", rpy_.empty() ? "0,0,0" : rpy_, 3, "R,P,Y");
    for (const auto* part : {&xyz, &rpy})
      if (!part->ok()) return part->status();
    const double unit = degrees_ ? std::numbers::pi / 180 : 1;
    const auto quaternion = FromRollPitchYaw((*rpy)[0] * unit, (*rpy)[1] * unit, (*rpy)[2] * unit);
    poses->mutable_values()->Add(xyz->begin(), xyz->end());
    poses->mutable_values()->Add(quaternion.begin(), quaternion.end());
    return absl::OkStatus();
  }

  Sheet Solutions(const v1::ComputeInverseKinematicsResponse& answer,
                  const std::vector<Column>& columns) const {
    Sheet sheet{absl::StrCat(KinematicHeadline("inverse kinematics", answer.info()), ", method ",
                             answer.method()),
                {"pose", "branch"},
                {}};
    for (const Column& column : columns)
      sheet.columns.push_back(column.id + "[" + (degrees_ && column.angular ? "deg" : column.unit) +
                              "]");
    for (const char* name : {"within limits", "error[m]", "error[rad]"})
      sheet.columns.push_back(name);
    for (int r = 0; r < answer.results_size(); ++r) {
      const auto& result = answer.results(r);
      for (const auto& solution : result.solutions())
        AddRow(sheet, r, solution.branch(), solution, columns);
      if (!result.reached() && result.has_nearest())
        AddRow(sheet, r, "not reached; nearest", result.nearest(), columns);
    }
    return sheet;
  }

  void AddRow(Sheet& sheet, int pose, const std::string& branch,
              const v1::InverseKinematicsSolution& solution,
              const std::vector<Column>& columns) const {
    std::vector<Cell> row = {int64_t{pose + 1}, branch};
    for (size_t i = 0; i < columns.size(); ++i) {
      const bool present = static_cast<int>(i) < solution.positions_size();
      const double value = present ? solution.positions(static_cast<int>(i)) : 0;
      row.push_back(
          present ? Cell(degrees_ && columns[i].angular ? value * 180 / std::numbers::pi : value)
                  : Cell(""));
    }
    row.push_back(solution.within_limits() ? "yes" : "no");
    row.push_back(solution.position_error());
    row.push_back(solution.rotation_error());
    sheet.rows.push_back(std::move(row));
  }

  std::string model_, xyz_, rpy_, pose_, file_, seed_, frame_, rows_, expression_, tool_;
  bool degrees_ = false, respect_limits_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeIk() { return std::make_unique<Ik>(); }

}  // namespace torqued::cli
