#include "server/robots/yaml_robot.h"

#include "server/robots/text.h"

namespace torqued::robots {
namespace {

using yaml::Estimates;

void ReadFrames(Block& robot, Model& model, Estimates& estimates) {
  Report& report = robot.report();
  for (const YamlNode* node : robot.List("frames")) {
    Block unnamed(*node, "frame", report);
    Frame frame;
    frame.name = unnamed.RequiredText("name");
    Block b(*node, Element("frame", frame.name), report);
    b.Find("name");
    frame.link = yaml::NeedLink(b, "link", b.RequiredText("link"), model);
    frame.X_LF = b.Placement();
    b.Done(&estimates);
    if (report.failed()) return;
    model.frames.push_back(frame);
  }
}

void CheckFrames(Block& robot, Model& model) {
  Report& report = robot.report();
  std::vector<std::string> names;
  for (const Link& l : model.links) names.push_back(l.name);
  for (const Frame& f : model.frames) {
    const std::string fault = NameFault(f.name);
    if (!fault.empty()) return report.Fail(robot.line(), Element("frame", f.name), fault);
    for (const std::string& n : names)
      if (n == f.name)
        return report.Fail(robot.line(), Element("frame", f.name), "the name is taken by a link or another frame");
    names.push_back(f.name);
  }
  const std::optional<std::string> tool = robot.Text("tool_frame");
  if (tool) {
    bool known = false;
    for (const std::string& n : names) known |= n == *tool;
    if (!known) return robot.Fail("tool_frame", "frame " + Quoted(*tool) + " does not exist" + Suggest(*tool, names));
    model.tool_frame = *tool;
  } else if (model.tool_frame.empty()) {
    for (const Frame& f : model.frames)
      if (f.name == "tool0") model.tool_frame = "tool0";
    if (model.tool_frame.empty()) model.tool_frame = GuessToolFrame(model, report);
  }
}

// Tools and loads that the robot carries always: each joins its link's inertia, one after the other.
void ReadPayloads(Block& robot, Model& model, Estimates& estimates) {
  Report& report = robot.report();
  for (const YamlNode* node : robot.List("payloads")) {
    Block b(*node, "payload", report);
    const std::string name = b.RequiredText("frame");
    const std::optional<MassProperties> load = yaml::ReadMass(b, estimates);
    if (!load) b.Missing("mass_kg");
    b.Done(&estimates);
    if (report.failed()) return;
    int link = model.FindLink(name);
    Eigen::Isometry3d X_LF = Eigen::Isometry3d::Identity();
    for (const Frame& f : model.frames)
      if (f.name == name) link = f.link, X_LF = f.X_LF;
    if (link < 0) return b.Fail("frame", "link or frame " + Quoted(name) + " does not exist");
    std::optional<MassProperties>& carrier = model.links[link].inertia;
    if (!carrier) return b.Fail("frame", "link " + Quoted(model.links[link].name) + " has no known inertia that a load could join");
    carrier = ToMassProperties(ToBodyInertia(*carrier, Eigen::Isometry3d::Identity()) + ToBodyInertia(*load, X_LF));
  }
}

void ReadLabels(Block& robot, YamlRobot& out) {
  const YamlNode* node = robot.Find("labels");
  if (node == nullptr) return;
  Block labels(*node, "labels", robot.report());
  for (const std::string& key : node->keys) out.labels[key] = labels.Text(key).value_or("");
}

}  // namespace

YamlRobot ReadYamlRobot(std::string_view source, const LoadOptions& options, Report& report) {
  YamlRobot out;
  const YamlNode root = ParseYaml(source, report);
  if (report.failed()) return out;
  if (root.kind != YamlNode::Kind::kMap) {
    report.Fail(root.line, "", "want a URDF (<robot ...>) or a robot in YAML (name: ..., joints: ...)");
    return out;
  }
  Draft draft;
  Estimates estimates;
  draft.line = root.line;
  Block unnamed(root, "robot", report);
  draft.name = unnamed.Text("name").value_or(options.name);
  Block robot(root, Element("robot", draft.name), report);
  robot.Find("name");
  const std::string fault = NameFault(draft.name);
  if (!fault.empty()) report.Fail(root.line, robot.element(), "name: " + fault);
  out.description = robot.Text("description").value_or("");
  ReadLabels(robot, out);
  const std::string base = robot.Text("base").value_or("fixed");
  if (base != "fixed" && base != "floating") robot.Fail("base", Quoted(base) + ", want fixed or floating");
  draft.floating = base == "floating";
  if (robot.Has("dh") && (robot.Has("links") || robot.Has("joints")))
    robot.Fail("dh", "is given together with links or joints, want one of the two");
  const auto tool = yaml::ReadDhTable(robot, draft, estimates);
  yaml::ReadLinksAndJoints(robot, draft, estimates);
  if (report.failed()) return out;
  // Masses that never move are of no account: a link that only carries the root may leave them out.
  Model model = Assemble(std::move(draft), options.base, report);
  if (report.failed()) return out;
  if (tool) {
    Frame frame = tool->second;
    frame.link = model.FindLink(tool->first);
    model.frames.push_back(frame);
    model.tool_frame = frame.name;
  }
  ReadFrames(robot, model, estimates);
  if (!report.failed()) CheckFrames(robot, model);
  if (!report.failed()) ReadPayloads(robot, model, estimates);
  if (!report.failed()) yaml::ReadActuatorMatrix(robot, model);
  if (!report.failed()) yaml::ReadDrives(robot, model, estimates);
  if (!report.failed()) yaml::ReadRotors(robot, model, estimates);
  if (!report.failed()) yaml::ReadSprings(robot, model, estimates);
  if (std::optional<Block> mounting = robot.Sub("mounting")) {
    model.X_WR = mounting->Placement();
    mounting->Done(&estimates);
  }
  if (const std::optional<Eigen::Vector3d> gravity = robot.Vector("gravity_m_s2")) model.gravity = *gravity;
  robot.Done(&estimates);
  if (!estimates.empty()) {
    std::string list;
    for (const std::string& e : estimates) list += (list.empty() ? "" : ", ") + e;
    report.Add(finding::kEstimatedValues, Severity::kInfo, robot.element(), root.line,
               "values marked as estimates, not measured: " + list, std::to_string(estimates.size()));
  }
  out.model = std::move(model);
  return out;
}

}  // namespace torqued::robots
