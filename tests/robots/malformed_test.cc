// What is refused, by name, with line and reason; and what never crashes.
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <locale>
#include <random>

#include "server/robots/number.h"
#include "server/robots/text.h"
#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

using namespace robots;

std::string Why(const absl::StatusOr<LoadedModel>& loaded) {
  if (loaded.ok()) return "loaded";
  return std::string(loaded.status().message().data(), loaded.status().message().size());
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const char kUrdf[] = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0" rpy="0 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="fore">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.2" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
</robot>
)";

const char kYaml[] = R"(name: arm
gravity_m_s2: [0, 0, -9.81]
links:
  - name: base
  - name: upper
    mass_kg: 2
    com_m: [0.1, 0, 0]
    inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}
    source: estimate
joints:
  - name: shoulder
    type: revolute
    parent: base
    child: upper
    origin: {xyz_m: [0, 0, 0.3], rpy_deg: [0, 90, 0]}
    axis: [0, 1, 0]
    limits: {lower_rad: -1, upper_rad: 1, velocity_rad_s: 2, effort_Nm: 10}
    friction: {viscous_Nm_s_rad: 0.1, coulomb_Nm: 0.2}
frames:
  - {name: hand, link: upper, xyz_m: [0.3, 0, 0]}
tool_frame: hand
drives:
  - coordinate: shoulder
    gear_ratio: 50
    rotor: {inertia_kg_m2: 1.0e-4, carrier: base, axis: [0, 0, 1]}
)";

struct Case {
  const char* from;
  const char* to;
  std::vector<const char*> said;  // parts of the message
};

void ExpectRefused(const char* good, const std::vector<Case>& cases) {
  ASSERT_TRUE(LoadModel(good).ok()) << LoadModel(good).status();
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.from) + " -> " + c.to);
    const std::string why = Why(LoadModel(Replaced(good, c.from, c.to)));
    for (const char* part : c.said) EXPECT_NE(why.find(part), std::string::npos) << why;
  }
}

TEST(Refused, Urdf) {
  ExpectRefused(kUrdf, {
      {"0.1 0 0\"", "0.1 0\"", {"line 4", "link 'upper'", "xyz", "2 numbers", "want 3"}},
      {"0.1 0 0\"", "0.1 0 0 0\"", {"line 4", "4 numbers"}},
      {"0.1 0 0\"", "0,1 0 0\"", {"line 4", "'0,1'", "comma"}},
      {"value=\"2\"", "value=\"2kg\"", {"line 4", "link 'upper'", "'2kg'", "text after the number"}},
      {"value=\"2\"", "value=\"\"", {"is empty"}},
      {"value=\"2\"", "value=\"nan\"", {"'nan'", "not finite"}},
      {"value=\"2\"", "value=\"inf\"", {"not finite"}},
      {"value=\"2\"", "value=\"1e999\"", {"range of a double"}},
      {"value=\"2\"", "value=\"0x10\"", {"text after"}},
      {"value=\"2\"", "mass=\"2\"", {"<mass> value is missing"}},
      {"<mass value=\"2\"/>", "", {"link 'upper'", "has no <mass>"}},
      {"ixy=\"0\" ", "", {"<inertia> ixy is missing"}},
      {"name=\"fore\"", "name=\"upper\"", {"line 6", "link 'upper'", "taken by another link (line 3)"}},
      {"name=\"elbow\"", "name=\"shoulder\"", {"line 13", "joint 'shoulder'", "taken", "line 9"}},
      {"link=\"upper\"/><origin", "link=\"uper\"/><origin", {"joint 'shoulder'", "child link 'uper' does not exist", "did you mean 'upper'"}},
      {"type=\"prismatic\"", "type=\"prismatc\"", {"joint 'elbow'", "'prismatc'", "did you mean 'prismatic'"}},
      {"type=\"prismatic\"", "typ=\"prismatic\"", {"joint 'elbow'", "type is missing"}},
      {"xyz=\"0 1 0\"", "xyz=\"0 0 0\"", {"line 10", "joint 'shoulder'", "<axis>", "length 0"}},
      {"<child link=\"fore\"/>", "<child link=\"upper\"/>", {"joint 'elbow'", "connects link 'upper' with itself"}},
      {"<child link=\"fore\"/>", "", {"joint 'elbow'", "has no <child"}},
      {"<child link=\"upper\"/>", "<child link=\"fore\"/>", {"'fore' hangs on two joints", "closed loop"}},
      {"<parent link=\"base\"/>", "<parent link=\"fore\"/>", {"link 'upper'", "closed loop"}},
      {"<link name=\"base\"/>", "<link name=\"base\"/><link name=\"lonely\"/>", {"link 'lonely'", "second root", "'base' (line 2)"}},
      {"<dynamics damping=\"0.1\"", "<dynamics damping=\"-0.1\"", {"damping", "negative"}},
      {"</robot>", "<loop_joint/></robot>", {"closed loops are not supported"}},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><mimic joint=\"wrist\"/>", {"joint 'elbow'", "'wrist', which does not exist"}},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><mimic joint=\"elbow\"/>", {"joint 'elbow'", "mimics itself"}},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><mimic joint=\"shoulder\" multiplier=\"0\"/>", {"multiplier is 0"}},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/>", {"a second <axis>"}},
      {"<robot name=\"arm\">", "<robot name=\"arm\" xmlns:xacro=\"x\"><xacro:property name=\"a\"/>", {"xacro", "expand it first"}},
      {"xyz=\"0 0 0.3\"", "xyz=\"0 0 ${h}\"", {"xacro"}},
      {"<robot name", "<sdf name", {"not well-formed"}},
      {"</robot>", "", {"not well-formed XML"}},
      {"</joint>", "</jont>", {"line 9", "mismatched element"}},
      {"name=\"fore\"", "name=\"a&#1;b\"", {"control character"}},
      {"name=\"fore\"", "name=\"\"", {"the name is empty"}},
      {"<robot", "<!DOCTYPE r [<!ENTITY a \"b\">]><robot", {"document type"}},
  });
}

TEST(Refused, OtherFormats) {
  EXPECT_NE(Why(LoadModel("<sdf version='1.7'><model name='a'/></sdf>")).find("SDFormat"), std::string::npos);
  EXPECT_NE(Why(LoadModel("<mujoco model='a'/>")).find("MJCF"), std::string::npos);
  EXPECT_NE(Why(LoadModel("<html/>")).find("want <robot>"), std::string::npos);
  EXPECT_NE(Why(LoadModel("")).find("empty"), std::string::npos);
  EXPECT_NE(Why(LoadModel(" \n\t ")).find("empty"), std::string::npos);
  EXPECT_NE(Why(LoadModel("hello")).find("want a URDF"), std::string::npos);
  EXPECT_NE(Why(LoadModel("<robot/>")).find("has no link"), std::string::npos);
  EXPECT_NE(Why(LoadModel("a\xFF")).find("UTF-8"), std::string::npos);
  EXPECT_NE(Why(LoadModel(std::string_view("a\0b", 3))).find("control character"), std::string::npos);
  EXPECT_NE(Why(LoadModel("a: 1\n---\nb: 2\n")).find("second YAML document"), std::string::npos);
}

TEST(Refused, NoRoot) {
  const std::string ring = R"(<robot name="ring"><link name="a"/><link name="b"/>
    <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
    <joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>)";
  EXPECT_NE(Why(LoadModel(ring)).find("no root link"), std::string::npos);
}

TEST(Refused, Yaml) {
  ExpectRefused(kYaml, {
      {"mass_kg: 2", "mass: 2", {"line 5", "link 'upper'", "mass_kg: is missing", "'mass'"}},
      {"com_m:", "com:", {"link 'upper'", "com_m"}},
      {"    source: estimate", "    colour: red", {"line 9", "link 'upper'", "unknown key 'colour'"}},
      {"axis:", "axes:", {"joint 'shoulder'", "unknown key 'axes'", "did you mean 'axis'"}},
      {"source: estimate", "source: guess", {"line 9", "link 'upper'", "vendor, paper or estimate"}},
      {"mass_kg: 2", "mass_kg: two", {"mass_kg", "'two' is not a number"}},
      {"mass_kg: 2", "mass_kg: .nan", {"mass_kg", "not a number"}},
      {"mass_kg: 2", "mass_kg: 1_000", {"mass_kg", "text after"}},
      {"mass_kg: 2", "mass_kg: [2]", {"mass_kg", "want a number"}},
      {"com_m: [0.1, 0, 0]", "com_m: [0.1, 0]", {"com_m", "2 values", "list of 3"}},
      {"{xx: 0.1, yy: 0.1, zz: 0.1}", "{xx: 0.1, zz: 0.1}", {"inertia_kg_m2", "yy: is missing"}},
      {"    inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}\n", "", {"link 'upper'", "inertia_kg_m2", "is missing"}},
      {"type: revolute", "type: hinge", {"joint 'shoulder'", "'hinge'"}},
      {"    type: revolute\n", "", {"joint 'shoulder'", "type: is missing"}},
      {"parent: base", "parent: bas", {"'bas' does not exist", "did you mean 'base'"}},
      {"rpy_deg: [0, 90, 0]", "rpy_deg: [0, 90, 0], rpy_rad: [0, 0, 0]", {"give one of"}},
      {"rpy_deg: [0, 90, 0]", "rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]", {"is not a rotation"}},
      {"axis: [0, 1, 0]", "axis: [0, 0, 0]", {"joint 'shoulder'", "axis", "want a direction"}},
      {"lower_rad: -1", "lower_rad: -1, lower_deg: -57", {"given in radians as well"}},
      {"lower_rad: -1", "lower: -1", {"unknown key 'lower'", "did you mean 'lower_rad'"}},
      {"coulomb_Nm: 0.2", "coulomb_Nm: -0.2", {"magnitudes"}},
      {"coulomb_Nm: 0.2", "breakaway_Nm: 0.2", {"stribeck_velocity_rad_s"}},
      {"link: upper", "link: uper", {"frame 'hand'", "'uper' does not exist"}},
      {"tool_frame: hand", "tool_frame: hnd", {"tool_frame", "'hnd'", "did you mean 'hand'"}},
      {"coordinate: shoulder", "coordinate: elbow", {"drive of 'elbow'", "does not exist"}},
      {"gear_ratio: 50", "gear_ratio: 0", {"gear_ratio", "is 0"}},
      {"carrier: base", "carrier: nowhere", {"carrier", "'nowhere' does not exist"}},
      {"carrier: base", "gyroscopic: true", {"gyroscopic", "needs a carrier"}},
      {"carrier: base", "mass_kg: 1", {"contained_in_link", "is missing"}},
      {"name: arm\n", "name: arm\nname: leg\n", {"line 2", "'name' is given twice"}},
      {"name: arm\n", "name: &a arm\n", {"anchors are not accepted"}},
      {"name: arm\n", "name: *a\n", {"not well-formed YAML"}},
      {"name: arm\n", "name: !!str arm\n", {"tags are not accepted"}},
      {"name: arm\n", "name: [arm\n", {"not well-formed YAML"}},
      {"name: arm\n", "base: flying\nname: arm\n", {"base", "'flying'", "fixed or floating"}},
      {"name: arm\n", "name: arm\nactuator_matrix: [[0]]\n", {"actuator_matrix", "singular"}},
      {"name: arm\n", "name: arm\ndh: {convention: standard, rows: [{d_m: 1}]}\n", {"dh", "together with"}},
      {"    friction:", "    coupling: {shoulder: 1, elbow: 1}\n    friction:", {"coordinate 'elbow', which does not exist"}},
  });
}

TEST(Refused, Giants) {
  EXPECT_EQ(LoadModel(std::string(kMaxSourceBytes + 1, ' ')).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(LoadModel(std::string(kMaxYamlBytes + 1, 'a')).status().code(), absl::StatusCode::kResourceExhausted);
  std::string deep_xml, deep_flow, deep_block, names = "<robot name='r'>";
  for (int i = 0; i < 100000; ++i) deep_xml += "<a>";
  EXPECT_NE(Why(LoadModel(deep_xml)).find("nested too deeply"), std::string::npos) << Why(LoadModel(deep_xml));
  deep_flow.assign(100000, '[');
  EXPECT_FALSE(LoadModel(deep_flow).ok());
  deep_flow.clear();
  for (int i = 0; i < 50000; ++i) deep_flow += "{a: ";
  EXPECT_FALSE(LoadModel(deep_flow).ok());
  for (int i = 0; i < 300; ++i) deep_block += std::string(i, ' ') + "a:\n";
  EXPECT_NE(Why(LoadModel(deep_block)).find("levels"), std::string::npos) << Why(LoadModel(deep_block));
  for (int i = 0; i < 1200; ++i) names += "<link name='l" + std::to_string(i) + "'/>";
  EXPECT_EQ(LoadModel(names + "</robot>").status().code(), absl::StatusCode::kResourceExhausted);
  const std::string long_name(100000, 'x');
  const std::string why = Why(LoadModel("<robot name='r'><link name='" + long_name + "'/></robot>"));
  EXPECT_NE(why.find("100000 bytes"), std::string::npos);
  EXPECT_LT(why.size(), 400u);
  // Entities stand for nothing: a document type is refused before anything is expanded.
  const std::string laughs = "<!DOCTYPE r [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><robot name=\"&b;\"/>";
  EXPECT_NE(Why(LoadModel(laughs)).find("document type"), std::string::npos);
}

TEST(Numbers, WholeFiniteAndWithPoint) {
  EXPECT_EQ(*ParseNumber(" +1.5e-3 "), 1.5e-3);
  EXPECT_EQ(*ParseNumber("-.5"), -.5);
  EXPECT_EQ(*ParseNumber("5."), 5);
  EXPECT_EQ(*ParseNumber("1E3"), 1000);
  for (const char* bad : {"", " ", "+", "-", "+-1", "--1", "1 2", "1,5", "1e", "e5", "0x1p3", "nan", "inf", "-infinity",
                          "1e400", "1.5f", "1.2.3", "one", "1e-400"})
    EXPECT_FALSE(ParseNumber(bad).ok()) << bad;
  for (const double v : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123456789})
    EXPECT_EQ(*ParseNumber(FormatNumber(v)), v);
}

struct CommaDecimal : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Numbers, CommaLocaleChangesNothing) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaDecimal));
  const char* comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where it is installed
  const absl::StatusOr<LoadedModel> urdf = LoadModel(kUrdf), yaml = LoadModel(kYaml);
  const std::string text = FormatNumber(1234.5);
  if (comma) std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
  ASSERT_TRUE(urdf.ok() && yaml.ok());
  EXPECT_EQ(urdf->model.joints[0].X_PJ.translation().z(), .3);
  EXPECT_EQ(yaml->model.links[1].inertia->mass, 2);
  EXPECT_EQ(yaml->model.links[1].inertia->com.x(), .1);
  EXPECT_EQ(text, "1234.5");
}

// Whatever a byte becomes, the loader answers: a model that can be prepared, or a reason.
void Mutate(const std::string& good, unsigned seed, int rounds) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const std::string alphabet = "<>/\"'= :-[]{},.#&;!*|\n\t0123456789eE+-nxyz\\\x01\x80\xff";
  int loaded = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = good;
    for (size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
      const size_t at = below(text.size());
      switch (below(5)) {
        case 0: text[at] = static_cast<char>(random() & 0xFF); break;
        case 1: text[at] = alphabet[below(alphabet.size())]; break;
        case 2: text.erase(at, 1 + below(20)); break;
        case 3: text.insert(at, text.substr(below(text.size()), 1 + below(40))); break;
        case 4: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
      }
    }
    LoadOptions options;
    options.policy = static_cast<Policy>(below(3));
    options.base = static_cast<BaseOption>(below(3));
    const absl::StatusOr<LoadedModel> result = LoadModel(text, options);
    if (!result.ok()) {
      EXPECT_FALSE(result.status().message().empty());
      continue;
    }
    ++loaded;
    const Prepared prepared = Prepare(result->model);
    for (const BodyInertia& B : prepared.inertias) ASSERT_TRUE(std::isfinite(B.m)) << text;
  }
  EXPECT_GT(loaded, rounds / 200);
  EXPECT_LT(loaded, rounds);
}

TEST(Mutations, Urdf) { Mutate(kUrdf, 20240607, 4000); }
TEST(Mutations, Yaml) { Mutate(kYaml, 20240608, 4000); }

// A cut anywhere.
TEST(Mutations, Truncation) {
  for (const std::string good : {kUrdf, kYaml})
    for (size_t n = 0; n < good.size(); n += 3) LoadModel(good.substr(0, n)).status().IgnoreError();
}

}  // namespace
}  // namespace torqued::test
