#include "server/robots/yaml_block.h"

#include <algorithm>
#include <cmath>

#include "server/robots/number.h"
#include "server/robots/placement.h"
#include "server/robots/text.h"

namespace torqued::robots {
namespace {

using Kind = YamlNode::Kind;

bool ParseSourceKind(const std::string& text, bool& estimate) {
  for (const char* kind : {"vendor", "paper", "estimate"}) {
    const std::string word = kind;
    if (text.compare(0, word.size(), word) != 0) continue;
    if (text.size() > word.size() && std::isalnum(static_cast<unsigned char>(text[word.size()]))) continue;
    estimate = word == "estimate";
    return true;
  }
  return false;
}

}  // namespace

Block::Block(const YamlNode& node, std::string element, Report& report)
    : node_(&node), element_(std::move(element)), report_(&report), used_(node.keys.size(), false) {
  if (node.kind != Kind::kMap && node.kind != Kind::kNull)
    report.Fail(node.line, element_, "want a block of keys (key: value)");
}

void Block::Fail(const std::string& key, const std::string& what) {
  int line = node_->line;
  for (size_t i = 0; i < node_->keys.size(); ++i)
    if (node_->keys[i] == key) line = node_->items[i].line;
  report_->Fail(line, element_, key + ": " + what);
}

void Block::Missing(const std::string& key, const std::string& why) {
  std::string meant;
  for (size_t i = 0; i < used_.size(); ++i)
    if (!used_[i] && !Suggest(node_->keys[i], {key}).empty()) meant = " (is it what " + Quoted(node_->keys[i]) + " means?)";
  Fail(key, "is missing" + why + meant);
}

const YamlNode* Block::Find(const std::string& key) {
  asked_.push_back(key);
  for (size_t i = 0; i < node_->keys.size() && i < node_->items.size(); ++i) {
    if (node_->keys[i] != key) continue;
    used_[i] = true;
    return &node_->items[i];
  }
  return nullptr;
}

std::optional<Block> Block::Sub(const std::string& key) {
  const YamlNode* node = Find(key);
  if (node == nullptr) return std::nullopt;
  return Block(*node, element_ + ": " + key, *report_);
}

std::vector<const YamlNode*> Block::List(const std::string& key) {
  std::vector<const YamlNode*> out;
  const YamlNode* node = Find(key);
  if (node == nullptr || node->kind == Kind::kNull) return out;
  if (node->kind != Kind::kSequence) Fail(key, "want a list");
  for (const YamlNode& item : node->items) out.push_back(&item);
  return out;
}

std::optional<std::string> Block::Text(const std::string& key) {
  const YamlNode* node = Find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != Kind::kScalar) {
    Fail(key, "want a word or text");
    return std::nullopt;
  }
  return node->text;
}

std::string Block::RequiredText(const std::string& key) {
  const std::optional<std::string> text = Text(key);
  if (!text) Missing(key);
  return text.value_or("");
}

std::optional<bool> Block::Flag(const std::string& key) {
  const std::optional<std::string> text = Text(key);
  if (!text) return std::nullopt;
  if (*text != "true" && *text != "false") Fail(key, Quoted(*text) + ", want true or false");
  return *text == "true";
}

double Block::Scalar(const YamlNode& node, const std::string& key) {
  if (node.kind != Kind::kScalar) {
    Fail(key, "want a number");
    return 0;
  }
  const absl::StatusOr<double> value = ParseNumber(node.text);
  if (value.ok()) return *value;
  const absl::string_view why = value.status().message();
  Fail(key, std::string(why.data(), why.size()));
  return 0;
}

std::optional<double> Block::Number(const std::string& key) {
  const YamlNode* node = Find(key);
  if (node == nullptr) return std::nullopt;
  return Scalar(*node, key);
}

std::optional<Eigen::VectorXd> Block::Numbers(const std::string& key, int count) {
  const YamlNode* node = Find(key);
  if (node == nullptr) return std::nullopt;
  const int got = static_cast<int>(node->items.size());
  if (node->kind != Kind::kSequence || got != count) {
    Fail(key, (node->kind == Kind::kSequence ? std::to_string(got) + " values, " : std::string()) + "want a list of " +
                  std::to_string(count) + " numbers");
    return std::nullopt;
  }
  Eigen::VectorXd out(count);
  for (int i = 0; i < count; ++i) out[i] = Scalar(node->items[i], key);
  return out;
}

std::optional<Eigen::Vector3d> Block::Vector(const std::string& key) {
  const std::optional<Eigen::VectorXd> v = Numbers(key, 3);
  if (!v) return std::nullopt;
  return Eigen::Vector3d(*v);
}

std::optional<double> Block::Quantity(const std::string& stem, Dimension dimension, const std::string& rate) {
  if (dimension == Dimension::kLength) return Number(stem + "_m" + rate);
  const std::optional<double> rad = Number(stem + "_rad" + rate), deg = Number(stem + "_deg" + rate);
  if (rad && deg) Fail(stem + "_deg" + rate, "is given in radians as well");
  if (deg) return *deg * M_PI / 180;
  return rad;
}

Eigen::Isometry3d Block::Placement(bool* given) {
  const std::optional<Eigen::Vector3d> xyz = Vector("xyz_m"), rad = Vector("rpy_rad"), deg = Vector("rpy_deg");
  const std::optional<Eigen::VectorXd> quaternion = Numbers("quaternion_xyzw", 4);
  const YamlNode* rotation = Find("rotation");
  if (int{rad.has_value()} + int{deg.has_value()} + int{quaternion.has_value()} + int{rotation != nullptr} > 1)
    Fail("rotation", "give one of rpy_rad, rpy_deg, quaternion_xyzw, rotation");
  if (given) *given = xyz || rad || deg || quaternion || rotation;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  if (rad) R = RotationFromRpy(*rad);
  if (deg) R = RotationFromRpy(*deg * M_PI / 180);
  if (quaternion) {
    const double norm = quaternion->stableNorm();
    if (std::abs(norm - 1) > 1e-3) Fail("quaternion_xyzw", "has length " + FormatNumber(norm) + ", want 1");
    else R = Eigen::Quaterniond(quaternion->data()).normalized().toRotationMatrix();
  }
  if (rotation) {
    bool square = rotation->kind == Kind::kSequence && rotation->items.size() == 3;
    for (int i = 0; square && i < 3; ++i)
      square = rotation->items[i].kind == Kind::kSequence && rotation->items[i].items.size() == 3;
    if (!square) {
      Fail("rotation", "want 3 rows of 3 numbers");
      return Eigen::Isometry3d::Identity();
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = Scalar(rotation->items[i].items[j], "rotation");
    const double off = (R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
    if (!(off <= 1e-4) || R.determinant() < 0) {
      Fail("rotation", "is not a rotation (rows of unit length, at right angles, right-handed)");
    } else if (off > 1e-12) {
      report_->Add(finding::kNotOrthonormal, Severity::kInfo, element_, rotation->line,
                   "rotation is orthonormal to " + FormatNumber(off) + " only and was made so", FormatNumber(off));
      R = Eigen::Quaterniond(R).normalized().toRotationMatrix();
    }
  }
  return robots::Placement(R, xyz.value_or(Eigen::Vector3d::Zero()));
}

bool Block::CheckSource(const YamlNode& node, const std::string& key) {
  const std::string word = node.kind == Kind::kScalar                            ? node.text
                           : node.kind == Kind::kMap && node.keys.size() == 1 ? node.keys[0]
                                                                                 : "";
  bool estimate = false;
  if (!ParseSourceKind(word, estimate))
    Fail(key, "want vendor, paper or estimate, and after it where the numbers come from");
  return estimate;
}

void Block::Done(std::vector<std::string>* estimates) {
  if (const YamlNode* source = Find("source"))
    if (CheckSource(*source, "source") && estimates) estimates->push_back(element_);
  if (const YamlNode* sources = Find("sources")) {
    if (sources->kind != Kind::kMap) Fail("sources", "want key: source");
    for (size_t i = 0; i < sources->keys.size() && i < sources->items.size(); ++i) {
      const std::string& key = sources->keys[i];
      if (std::find(node_->keys.begin(), node_->keys.end(), key) == node_->keys.end())
        Fail("sources", Quoted(key) + " is not a key of this block" + Suggest(key, node_->keys));
      if (CheckSource(sources->items[i], "sources") && estimates) estimates->push_back(element_ + ": " + key);
    }
  }
  for (size_t i = 0; i < used_.size(); ++i)
    if (!used_[i]) {
      report_->Fail(node_->items.size() > i ? node_->items[i].line : node_->line, element_,
                    "unknown key " + Quoted(node_->keys[i]) + Suggest(node_->keys[i], asked_));
      return;
    }
}

}  // namespace torqued::robots
