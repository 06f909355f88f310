#include "client/cli/verbs/poses.h"

namespace torqued::cli {
namespace {

Sheet Vectors(const std::string& title, const std::vector<std::string>& columns,
                 const v1::ComputeForwardKinematicsResponse& answer, int width,
                 const google::protobuf::RepeatedField<double>& values, const Subject& subject) {
  Sheet sheet;
  sheet.title = title;
  const bool numbered = subject.states.count > 1, timed = !subject.states.time.empty();
  if (timed)
    sheet.columns.push_back("time[s]");
  else if (numbered)
    sheet.columns.push_back("state");
  sheet.columns.push_back("frame");
  sheet.columns.insert(sheet.columns.end(), columns.begin(), columns.end());
  const int frames = answer.frames_size();
  for (int s = 0; s < answer.info().sample_count(); ++s)
    for (int f = 0; f < frames; ++f) {
      std::vector<Cell> row;
      if (timed)
        row.push_back(subject.states.time[static_cast<size_t>(s)]);
      else if (numbered)
        row.push_back(int64_t{s + 1});
      row.push_back(answer.frames(f));
      for (int i = 0; i < width; ++i) row.push_back(values[(s * frames + f) * width + i]);
      sheet.rows.push_back(std::move(row));
    }
  return sheet;
}

}  // namespace

absl::StatusOr<Exit> ShowPoses(Session& session, const Subject& subject,
                               const v1::ComputeForwardKinematicsRequest& request,
                               const std::string& title) {
  const auto answer = session.Ask<v1::ComputeForwardKinematicsResponse>(request);
  if (!answer.ok()) return answer.status();
  const std::string expression = ExpressionName(answer->info().expression());
  std::vector<Sheet> sheets = {
      Vectors(KinematicHeadline(title, answer->info()) + ", in the world",
                 {"x[m]", "y[m]", "z[m]", "qx", "qy", "qz", "qw"}, *answer, 7,
                 answer->poses().values(), subject)};
  if (answer->velocities_size() > 0)
    sheets.push_back(
        Vectors("velocity, " + expression,
                   {"vx[m/s]", "vy[m/s]", "vz[m/s]", "wx[rad/s]", "wy[rad/s]", "wz[rad/s]"},
                   *answer, 6, answer->velocities(), subject));
  if (answer->accelerations_size() > 0)
    sheets.push_back(Vectors("acceleration, " + expression,
                                {"ax[m/s^2]", "ay[m/s^2]", "az[m/s^2]", "alphax[rad/s^2]",
                                 "alphay[rad/s^2]", "alphaz[rad/s^2]"},
                                *answer, 6, answer->accelerations(), subject));
  if (answer->points_size() > 0)
    sheets.push_back(Vectors(
        "point, seen from " + (answer->observer().empty() ? "the world" : answer->observer()),
        {"x[m]", "y[m]", "z[m]", "vx[m/s]", "vy[m/s]", "vz[m/s]", "ax[m/s^2]", "ay[m/s^2]",
         "az[m/s^2]"},
        *answer, 9, answer->points(), subject));
  session.Show(*answer, sheets);
  if (session.for_people()) session.out() << InfoNotes(answer->info());
  return Exit::kOk;
}

}  // namespace torqued::cli
