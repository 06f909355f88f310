#include "client/cli/drives.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "client/cli/csv.h"
#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

// Reads one map: unknown keys and wrong numbers are collected with their place.
class Block {
 public:
  Block(const YAML::Node& node, std::string place) : node_(node), place_(std::move(place)) {}

  std::optional<double> Number(const char* key) {
    const YAML::Node value = Find(key);
    if (!value) return std::nullopt;
    const auto number = value.IsScalar() ? ParseNumber(absl::StrCat(place_, ": ", key), value.Scalar())
                                         : absl::StatusOr<double>(absl::InvalidArgumentError(absl::StrCat(place_, ": ", key, ", want a number")));
    status_.Update(number.status());
    return number.ok() ? std::optional<double>(*number) : std::nullopt;
  }
  double Number(const char* key, double otherwise) { return Number(key).value_or(otherwise); }
  std::string Text(const char* key, const std::string& otherwise = "") {
    const YAML::Node value = Find(key);
    return value && value.IsScalar() ? value.Scalar() : otherwise;
  }
  YAML::Node Find(const char* key) {
    known_.insert(key);
    return node_.IsMap() ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
  }
  void Fail(const std::string& why) { status_.Update(absl::InvalidArgumentError(absl::StrCat(place_, ": ", why))); }
  const std::string& place() const { return place_; }

  // What was wrong, unknown keys included.
  absl::Status Done() {
    if (!node_.IsMap()) return absl::InvalidArgumentError(absl::StrCat(place_, ": want a map"));
    for (const auto& item : node_)
      if (known_.count(item.first.Scalar()) == 0)
        Fail(absl::StrCat("unknown key '", item.first.Scalar(), "', want some of ", absl::StrJoin(known_, ", ")));
    return status_;
  }

 private:
  const YAML::Node node_;
  const std::string place_;
  std::set<std::string> known_;
  absl::Status status_;
};

absl::StatusOr<TorqueCurve> CurveFrom(const YAML::Node& node, const std::string& place) {
  TorqueCurve curve;
  for (const YAML::Node& point : node) {
    if (!point.IsSequence() || point.size() != 2)
      return absl::InvalidArgumentError(absl::StrCat(place, ": point ", curve.speed.size() + 1, ", want [speed in rad/s, torque in Nm]"));
    const auto speed = ParseNumber(absl::StrCat(place, ": speed"), point[0].Scalar()), torque = ParseNumber(absl::StrCat(place, ": torque"), point[1].Scalar());
    if (!speed.ok()) return speed.status();
    if (!torque.ok()) return torque.status();
    curve.speed.push_back(*speed);
    curve.torque.push_back(*torque);
  }
  return curve;
}

// Two columns: speed[rad/s] or speed[rpm], torque[Nm].
absl::StatusOr<TorqueCurve> CurveFile(const std::string& path) {
  const auto table = ReadCsv(path);
  if (!table.ok()) return table.status();
  if (table->header.size() != 2 || table->header[1].rfind("torque", 0) != 0 || table->header[0].rfind("speed", 0) != 0)
    return absl::InvalidArgumentError(absl::StrCat(path, ": columns ", absl::StrJoin(table->header, ","), ", want speed[rad/s] or speed[rpm], torque[Nm]"));
  const double unit = table->header[0] == "speed[rpm]" ? std::numbers::pi / 30 : 1;
  TorqueCurve curve;
  for (int row = 0; row < table->row_count; ++row) {
    curve.speed.push_back(table->At(row, 0) * unit);
    curve.torque.push_back(table->At(row, 1));
  }
  return curve;
}

absl::Status CheckCurve(const TorqueCurve& curve, const std::string& place) {
  if (curve.speed.empty()) return absl::InvalidArgumentError(absl::StrCat(place, ": no points, want at least one"));
  for (size_t k = 0; k < curve.speed.size(); ++k) {
    if (curve.speed[k] < 0 || curve.torque[k] < 0)
      return absl::InvalidArgumentError(absl::StrCat(place, ": point ", k + 1, ": ", curve.speed[k], ", ", curve.torque[k], ", want 0 or more"));
    if (k > 0 && !(curve.speed[k] > curve.speed[k - 1]))
      return absl::InvalidArgumentError(absl::StrCat(place, ": speed ", curve.speed[k], " after ", curve.speed[k - 1], ", want speeds ascending"));
  }
  return absl::OkStatus();
}

absl::Status ReadMotor(const YAML::Node& node, const std::string& place, const std::string& folder, Motor& motor) {
  Block block(node, place);
  const std::string kind = block.Text("kind", "servo");
  if (kind != "servo" && kind != "stepper") block.Fail(absl::StrCat("kind '", kind, "', want servo or stepper"));
  motor.kind = kind == "stepper" ? MotorKind::kStepper : MotorKind::kServo;
  motor.name = block.Text("name");
  motor.inertia = block.Number("inertia_kg_m2", 0);
  motor.continuous_torque = block.Number("continuous_torque_Nm", 0);
  motor.stepper_reserve = block.Number("reserve", 0.5);
  if (motor.inertia < 0) block.Fail(absl::StrCat("inertia_kg_m2: ", motor.inertia, ", want 0 or more"));
  if (motor.continuous_torque < 0) block.Fail(absl::StrCat("continuous_torque_Nm: ", motor.continuous_torque, ", want 0 or more"));
  if (!(motor.stepper_reserve > 0 && motor.stepper_reserve <= 1)) block.Fail(absl::StrCat("reserve: ", motor.stepper_reserve, ", want above 0, at most 1"));
  const YAML::Node curve = block.Find("curve");
  const std::string file = block.Text("curve_file");
  if ((curve && curve.IsDefined()) == !file.empty()) block.Fail("want one of curve and curve_file");
  if (absl::Status s = block.Done(); !s.ok()) return s;
  const auto read = file.empty() ? CurveFrom(curve, place + ": curve")
                                 : CurveFile(file[0] == '/' || folder.empty() ? file : folder + "/" + file);
  if (!read.ok()) return read.status();
  motor.peak = *read;
  return CheckCurve(motor.peak, place + ": curve");
}

absl::StatusOr<DriveTrain> ReadDrive(const YAML::Node& node, size_t index, const std::string& folder, std::string* coordinate) {
  DriveTrain drive;
  Block block(node, absl::StrCat("drives[", index, "]"));
  *coordinate = block.Text("coordinate");
  drive.name = block.Text("name", *coordinate);
  if (drive.name.empty()) drive.name = absl::StrCat("drive ", index + 1);
  const auto gear = block.Number("gear_ratio"), lead = block.Number("lead_m"), pulley = block.Number("pulley_radius_m");
  const double reduction = block.Number("reduction", 1);
  const int ways = gear.has_value() + lead.has_value() + pulley.has_value();
  if (ways > 1) block.Fail("more than one of gear_ratio, lead_m, pulley_radius_m");
  if (gear && *gear == 0) block.Fail("gear_ratio: 0, want another number");
  if (lead && !(*lead != 0)) block.Fail("lead_m: 0, want another number");
  if (pulley && !(*pulley > 0)) block.Fail(absl::StrCat("pulley_radius_m: ", *pulley, ", want more than 0"));
  if (!(reduction > 0)) block.Fail(absl::StrCat("reduction: ", reduction, ", want more than 0"));
  drive.ratio = lead ? ScrewRatio(*lead, reduction) : pulley ? BeltRatio(*pulley, reduction) : gear.value_or(1) * reduction;
  drive.efficiency = block.Number("efficiency", 1);
  if (!(drive.efficiency > 0 && drive.efficiency <= 1)) block.Fail(absl::StrCat("efficiency: ", drive.efficiency, ", want above 0, at most 1"));
  drive.gear_inertia = block.Number("gear_inertia_kg_m2", 0);
  if (drive.gear_inertia < 0) block.Fail(absl::StrCat("gear_inertia_kg_m2: ", drive.gear_inertia, ", want 0 or more"));
  const std::string rotor = block.Text("rotor_in_model", coordinate->empty() ? "false" : "true");
  if (rotor != "true" && rotor != "false") block.Fail(absl::StrCat("rotor_in_model: '", rotor, "', want true or false"));
  drive.rotor_in_model = rotor == "true";
  for (const char* ignored : {"motor_friction", "source", "sources"}) block.Find(ignored);
  const YAML::Node own = block.Find("rotor"), motor = block.Find("motor");
  const auto torque = block.Number("motor_torque_Nm"), speed = block.Number("motor_speed_rad_s");
  if (absl::Status s = block.Done(); !s.ok()) return s;
  if (own && own.IsMap() && own["inertia_kg_m2"]) {
    const auto inertia = ParseNumber(block.place() + ": rotor: inertia_kg_m2", own["inertia_kg_m2"].Scalar());
    if (!inertia.ok()) return inertia.status();
    drive.motor.inertia = *inertia;
  }
  if (motor && motor.IsDefined()) {
    if (absl::Status s = ReadMotor(motor, absl::StrCat(block.place(), " (", drive.name, "): motor"), folder, drive.motor); !s.ok()) return s;
  } else if (torque && speed) {
    drive.motor.peak = {{0, *speed}, {*torque, *torque}};
    if (absl::Status s = CheckCurve(drive.motor.peak, block.place()); !s.ok()) return s;
  } else {
    return absl::InvalidArgumentError(absl::StrCat(block.place(), " (", drive.name, "): no motor, want motor: {curve: ...}, or motor_torque_Nm and motor_speed_rad_s"));
  }
  return drive;
}

absl::StatusOr<Eigen::MatrixXd> ReadMatrix(const YAML::Node& node, Eigen::Index n) {
  Eigen::MatrixXd N(n, n);
  if (!node.IsSequence() || static_cast<Eigen::Index>(node.size()) != n)
    return absl::InvalidArgumentError(absl::StrCat("actuator_matrix: ", node.size(), " rows, want ", n));
  for (Eigen::Index r = 0; r < n; ++r) {
    const YAML::Node row = node[static_cast<size_t>(r)];
    if (!row.IsSequence() || static_cast<Eigen::Index>(row.size()) != n)
      return absl::InvalidArgumentError(absl::StrCat("actuator_matrix: row ", r + 1, ": ", row.size(), " values, want ", n));
    for (Eigen::Index c = 0; c < n; ++c) {
      const auto value = ParseNumber(absl::StrCat("actuator_matrix: row ", r + 1), row[static_cast<size_t>(c)].Scalar());
      if (!value.ok()) return value.status();
      N(r, c) = *value;
    }
  }
  return N;
}

// The nut's coordinate is lift + lead / 2 pi turn (it turns against the shaft), the spline's is the turn.
absl::StatusOr<Eigen::MatrixXd> ScrewSpline(const YAML::Node& node, const std::vector<std::string>& joints) {
  Block block(node, "screw_spline");
  const auto find = [&](const char* key) {
    const std::string name = block.Text(key);
    const auto at = std::find(joints.begin(), joints.end(), name);
    if (at == joints.end()) block.Fail(absl::StrCat(key, ": '", name, "', want one of ", absl::StrJoin(joints, ", ")));
    return at - joints.begin();
  };
  const Eigen::Index lift = find("lift"), turn = find("turn");
  const auto lead = block.Number("lead_m");
  if (!lead || *lead == 0) block.Fail("lead_m: missing or 0, want metres per turn");
  if (absl::Status s = block.Done(); !s.ok()) return s;
  if (lift == turn) return absl::InvalidArgumentError("screw_spline: lift and turn are the same joint");
  const auto n = static_cast<Eigen::Index>(joints.size());
  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
  N(lift, turn) = *lead / (2 * std::numbers::pi);
  return N;
}

}  // namespace

absl::StatusOr<DriveSet> ParseDrives(const std::string& text, const std::vector<std::string>& joint_names, const std::string& folder) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("YAML: ", error.what()));
  }
  try {
    if (!root.IsMap() || !root["drives"] || !root["drives"].IsSequence())
      return absl::InvalidArgumentError("want a list 'drives:' with one drive per joint");
    DriveSet set;
    set.drives.resize(root["drives"].size());
    if (set.drives.size() != joint_names.size())
      return absl::InvalidArgumentError(absl::StrCat("drives: ", set.drives.size(), ", want ", joint_names.size(), ": ", absl::StrJoin(joint_names, ", ")));
    std::vector<bool> taken(set.drives.size(), false);
    for (size_t d = 0; d < set.drives.size(); ++d) {
      std::string coordinate;
      const auto drive = ReadDrive(root["drives"][d], d, folder, &coordinate);
      if (!drive.ok()) return drive.status();
      const auto at = coordinate.empty() ? joint_names.begin() + static_cast<std::ptrdiff_t>(d) : std::find(joint_names.begin(), joint_names.end(), coordinate);
      if (at == joint_names.end())
        return absl::InvalidArgumentError(absl::StrCat("drives[", d, "]: coordinate '", coordinate, "', want one of ", absl::StrJoin(joint_names, ", ")));
      const auto place = static_cast<size_t>(at - joint_names.begin());
      if (taken[place]) return absl::InvalidArgumentError(absl::StrCat("drives[", d, "]: joint ", *at, " has a drive already"));
      taken[place] = true;
      set.drives[place] = *drive;
    }
    const YAML::Node matrix = root["actuator_matrix"], wrist = root["screw_spline"];
    if (matrix && wrist) return absl::InvalidArgumentError("actuator_matrix and screw_spline: want one of them");
    if (matrix || wrist) {
      const auto N = matrix ? ReadMatrix(matrix, static_cast<Eigen::Index>(joint_names.size())) : ScrewSpline(wrist, joint_names);
      if (!N.ok()) return N.status();
      set.actuator_matrix = *N;
    }
    return set;
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("YAML: ", error.what()));
  }
}

}  // namespace torqued::cli
