// How is one block (map) of a YAML robot read? By asked-for keys; what nobody asked for is refused with a suggestion.
//
// The unit stands in the key: Quantity("lower", kAngle) reads lower_rad or lower_deg; kLength reads lower_m.
#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

#include "server/robots/report.h"
#include "server/robots/yaml_tree.h"

namespace torqued::robots {

enum class Dimension { kAngle, kLength };

class Block {
 public:
  // `element` is for messages. A node that is no map is an error (null counts as an empty map).
  Block(const YamlNode& node, std::string element, Report& report);

  const std::string& element() const { return element_; }
  int line() const { return node_->line; }
  Report& report() { return *report_; }

  // The value of `key`, or null.
  const YamlNode* Find(const std::string& key);
  bool Has(const std::string& key) { return Find(key) != nullptr; }
  // A block below this one; `element` defaults to "<this element>: <key>".
  std::optional<Block> Sub(const std::string& key);
  // Entries of a list; absent: none.
  std::vector<const YamlNode*> List(const std::string& key);

  std::optional<std::string> Text(const std::string& key);
  std::string RequiredText(const std::string& key);
  std::optional<bool> Flag(const std::string& key);
  std::optional<double> Number(const std::string& key);
  std::optional<Eigen::VectorXd> Numbers(const std::string& key, int count);
  std::optional<Eigen::Vector3d> Vector(const std::string& key);
  // stem_rad<rate> or stem_deg<rate>; or stem_m<rate>. rate: "", "_s", "_s2", "_s3".
  std::optional<double> Quantity(const std::string& stem, Dimension dimension, const std::string& rate = "");
  // xyz_m and one of rpy_rad, rpy_deg, rotation (3 rows), quaternion_xyzw. `given`: whether any was there.
  Eigen::Isometry3d Placement(bool* given = nullptr);

  // Refuses keys that nobody asked for; checks source and sources. Estimated values are added to `estimates`.
  void Done(std::vector<std::string>* estimates = nullptr);

  void Fail(const std::string& key, const std::string& what);
  // "`key`: is missing<why>", and which key of the block may have been meant for it.
  void Missing(const std::string& key, const std::string& why = "");

 private:
  double Scalar(const YamlNode& node, const std::string& key);
  bool CheckSource(const YamlNode& node, const std::string& key);

  const YamlNode* node_;
  std::string element_;
  Report* report_;
  std::vector<bool> used_;
  std::vector<std::string> asked_;
};

}  // namespace torqued::robots
