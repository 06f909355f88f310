// Every fault that the audit must know, one robot each: code, element, line, words, and what each policy does about it.
#include <gtest/gtest.h>

#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

// One element a line, so that a line names it.
const std::vector<std::string> kLines = {
    R"(<robot name="arm">)",
    R"(<link name="base"/>)",
    R"(<link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>)",
    R"(<link name="fore"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>)",
    R"(<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="50" velocity="2"/></joint>)",
    R"(<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="3"/></joint>)",
    R"(</robot>)"};

std::string With(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text;
  for (const std::string& line : kLines) text += line + "\n";
  for (const auto& [from, to] : changes) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

absl::StatusOr<LoadedModel> Under(Policy policy, const std::string& text) {
  LoadOptions options;
  options.policy = policy;
  return LoadModel(text, options);
}

std::string Message(const absl::Status& status) {
  return std::string(status.message().data(), status.message().size());
}

struct Fault {
  std::string name;
  std::vector<std::pair<std::string, std::string>> changes;
  std::string code, element;
  int line;
  std::string words;        // in the finding
  bool physical;            // strict refuses it
  std::string repaired;     // in the finding under repair; empty: nothing to repair
};

const std::vector<Fault>& Faults() {
  static const std::vector<Fault> all = {
      {"TriangleInequality", {{R"(iyy="0.02" iyz="0" izz="0.02")", R"(iyy="0.02" iyz="0" izz="0.2")"}}, finding::kNonphysicalInertia,
       "link 'fore'", 4, "the smaller two must add up to the largest", true, "replaced by the nearest possible"},
      {"NegativeMoment", {{R"(ixx="0.01" ixy="0" ixz="0" iyy="0.05")", R"(ixx="-0.01" ixy="0" ixz="0" iyy="0.05")"}},
       finding::kNonphysicalInertia, "link 'upper'", 3, "a principal moment of inertia is negative", true,
       "replaced by the nearest possible"},
      {"NegativeMass", {{R"(mass value="1")", R"(mass value="-1")"}}, finding::kNegativeMass, "link 'fore'", 4,
       "mass -1 kg is negative", true, "set to 0"},
      {"InertiaWithoutMass", {{R"(mass value="1")", R"(mass value="0")"}}, finding::kInertiaWithoutMass, "link 'fore'", 4,
       "has a moment of inertia but no mass", true, ""},
      {"MasslessMovingLink",
       {{R"(<link name="fore"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>)",
         R"(<link name="fore"/>)"}},
       finding::kMasslessMovingLink, "joint 'elbow'", 6, "moves no inertia", true, ""},
      {"MissingLimits", {{R"(<limit lower="-2" upper="2" effort="20" velocity="3"/>)", ""}}, finding::kLimitMissing,
       "joint 'elbow'", 6, "limits not known: position, velocity, effort", false, ""},
      {"EffortZero", {{R"(effort="20")", R"(effort="0")"}}, finding::kEffortZero, "joint 'elbow'", 6,
       "effort limit is 0: taken as unknown", false, ""},
      {"LimitsReversed", {{R"(lower="-2" upper="2")", R"(lower="2" upper="-2")"}}, finding::kLimitReversed, "joint 'elbow'", 6,
       "lower limit 2 is above the upper, -2", true, "exchanged"},
      {"NegativeLimit", {{R"(velocity="3")", R"(velocity="-3")"}}, finding::kLimitNegative, "joint 'elbow'", 6,
       "velocity limit is -3: taken as unknown", true, ""},
      {"UnusedWorldMass",
       {{R"(<link name="base"/>)",
         R"(<link name="base"><inertial><mass value="30"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>)"}},
       finding::kUnusedWorldMass, "link 'base'", 2, "its mass of 30 kg enters no torque", false, ""},
      {"Millimetres", {{R"(xyz="0.4 0 0")", R"(xyz="400 0 0")"}}, finding::kUnitsSuspect, "joint 'elbow'", 6,
       "is it in millimetres?", true, ""},
      {"Grams", {{R"(mass value="2")", R"(mass value="21000")"}}, finding::kUnitsSuspect, "link 'upper'", 3, "is it in grams?",
       true, ""},
      {"NameSharedByLinkAndJoint",
       {{R"(joint name="elbow")", R"(joint name="fore")"}}, finding::kNameDuplicate, "joint 'fore'", 6, "a link has the same name",
       false, ""},
      {"AxisNotUnit", {{R"(<origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>)", R"(<origin xyz="0.4 0 0"/><axis xyz="0 3 0"/>)"}},
       finding::kAxisNotUnit, "joint 'elbow'", 6, "normalised", false, ""},
  };
  return all;
}

class Audit : public ::testing::TestWithParam<Fault> {};

TEST_P(Audit, IsFoundWithItsLineAndTreatedByPolicy) {
  const Fault& fault = GetParam();
  const std::string text = With(fault.changes);
  const auto find = [&](const LoadedModel& robot) -> const Finding* {
    for (const Finding& f : robot.findings)
      if (f.code == fault.code && f.element == fault.element) return &f;
    return nullptr;
  };
  const absl::StatusOr<LoadedModel> warned = Under(Policy::kWarn, text);
  ASSERT_TRUE(warned.ok()) << warned.status();
  const Finding* finding = find(*warned);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->line, fault.line);
  EXPECT_NE(finding->message.find(fault.words), std::string::npos) << finding->message;

  const absl::StatusOr<LoadedModel> strict = Under(Policy::kStrict, text);
  EXPECT_EQ(strict.ok(), !fault.physical) << strict.status();
  if (!strict.ok()) {
    EXPECT_NE(Message(strict.status()).find(fault.element), std::string::npos) << strict.status();
    EXPECT_NE(Message(strict.status()).find("line " + std::to_string(fault.line)), std::string::npos) << strict.status();
  }

  const absl::StatusOr<LoadedModel> repaired = Under(Policy::kRepair, text);
  ASSERT_TRUE(repaired.ok()) << repaired.status();
  finding = find(*repaired);
  ASSERT_NE(finding, nullptr);
  if (!fault.repaired.empty()) EXPECT_NE(finding->message.find(fault.repaired), std::string::npos) << finding->message;
}

INSTANTIATE_TEST_SUITE_P(Faults, Audit, ::testing::ValuesIn(Faults()), [](const auto& fault) { return fault.param.name; });

TEST(Audit, TheRobotItselfIsClean) {
  const absl::StatusOr<LoadedModel> robot = Under(Policy::kStrict, With({}));
  ASSERT_TRUE(robot.ok()) << robot.status();
  for (const Finding& f : robot->findings) EXPECT_EQ(f.code, std::string(finding::kInertialMissing)) << f.message;
}

// What no policy can accept: refused with element, line and what was wanted.
TEST(Audit, RefusedUnderEveryPolicy) {
  struct Refusal {
    std::vector<std::pair<std::string, std::string>> changes;
    std::vector<std::string> words;
  };
  const std::string elbow_axis = R"(<origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>)";
  for (const Refusal& r : {
           Refusal{{{elbow_axis, R"(<origin xyz="0.4 0 0"/><axis xyz="0 0 0"/>)"}}, {"line 6", "elbow", "axis"}},
           Refusal{{{"</robot>", R"(<joint name="rod" type="revolute"><parent link="base"/><child link="fore"/><axis xyz="0 1 0"/></joint></robot>)"}},
                   {"line 7", "rod", "fore", "closed loop", "want a tree"}},
           Refusal{{{R"(<parent link="base"/>)", R"(<parent link="fore"/>)"}}, {"loop", "want a tree"}},
           Refusal{{{R"(link name="fore")", R"(link name="upper")"}}, {"line 4", "upper"}},
           Refusal{{{R"(joint name="elbow")", R"(joint name="shoulder")"}}, {"line 6", "shoulder"}},
       })
    for (const Policy policy : {Policy::kStrict, Policy::kWarn, Policy::kRepair}) {
      const absl::StatusOr<LoadedModel> robot = Under(policy, With(r.changes));
      ASSERT_FALSE(robot.ok()) << r.words.back();
      for (const std::string& word : r.words)
        EXPECT_NE(Message(robot.status()).find(word), std::string::npos) << word << " in " << robot.status();
    }
}

// Kept and told under warn; strict refuses the joint that is left with nothing to move.
TEST(Audit, AMovingLinkWithoutInertial) {
  const std::string text =
      With({{R"(<link name="fore"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>)",
             R"(<link name="fore"/>)"}});
  const absl::StatusOr<LoadedModel> warned = Under(Policy::kWarn, text);
  ASSERT_TRUE(warned.ok()) << warned.status();
  bool told = false;
  for (const Finding& f : warned->findings)
    told |= f.code == finding::kInertialMissing && f.element == "link 'fore'" && f.line == 4 &&
            f.message.find("has no <inertial>: mass 0") != std::string::npos;
  EXPECT_TRUE(told);
  const std::string refused = Message(Under(Policy::kStrict, text).status());
  EXPECT_NE(refused.find("line 6: joint 'elbow': moves no inertia (link 'fore' weighs nothing)"), std::string::npos) << refused;
}

// How other readers take the same file where they are known to differ: one finding each, with the names of the readers.
TEST(Audit, OtherReadersOfTheSameFile) {
  struct Reader {
    std::vector<std::pair<std::string, std::string>> changes;
    std::string code, words;
  };
  for (const Reader& r : {
           Reader{{{"</robot>", R"(<link name="hook"/><joint name="a_hook" type="fixed"><parent link="fore"/><child link="hook"/></joint></robot>)"}},
                  finding::kReaderMissingInertial, "DART"},
           Reader{{{R"(velocity="3"/>)", R"(velocity="3"/><dynamics damping="1" friction="2"/>)"}}, finding::kReaderFriction, "KDL"},
           Reader{{{R"(ixy="0" ixz="0" iyy="0.02")", R"(ixy="0.001" ixz="0" iyy="0.02")"}}, finding::kReaderInertiaRounding, "MuJoCo"},
           Reader{{{R"(<origin xyz="0.1 0 0"/>)", R"(<origin xyz="0.1 0 0" rpy="0.3 0 0"/>)"}}, finding::kReaderInertialRotation, "RBDL"},
           Reader{{{R"(velocity="3"/>)", R"(velocity="3"/><mimic joint="shoulder" multiplier="0.5"/>)"}}, finding::kReaderMimic, "MuJoCo"},
           Reader{{{R"(<link name="fore"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>)",
                    R"(<link name="fore"/>)"}}, finding::kReaderMissingInertial, "DART"},
       }) {
    const absl::StatusOr<LoadedModel> robot = Under(Policy::kWarn, With(r.changes));
    ASSERT_TRUE(robot.ok()) << robot.status();
    std::string told;
    for (const Finding& f : robot->findings)
      if (f.code == r.code) told = f.message;
    EXPECT_NE(told.find(r.words), std::string::npos) << r.code << ": " << told;
  }
}

TEST(Audit, ABaseThatFloatsKeepsItsInertiaAndSaysWhoDropsIt) {
  const std::string text = With({{R"(<link name="base"/>)",
                                  R"(<link name="base"><inertial><mass value="30"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>)"}});
  LoadOptions options;
  options.base = BaseOption::kFloating;
  const absl::StatusOr<LoadedModel> robot = LoadModel(text, options);
  ASSERT_TRUE(robot.ok()) << robot.status();
  EXPECT_TRUE(HasFinding(*robot, finding::kReaderRootInertia));
  EXPECT_FALSE(HasFinding(*robot, finding::kUnusedWorldMass));
}

}  // namespace
}  // namespace torqued::test
