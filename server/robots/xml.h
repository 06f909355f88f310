// Small readers over tinyxml2 that report element, line and what was wanted.
#pragma once

#include <tinyxml2.h>

#include <Eigen/Core>
#include <optional>
#include <string>

#include "server/robots/report.h"

namespace torqued::robots {

// Who is being read: for messages.
struct XmlPlace {
  Report& report;
  std::string element;  // "joint 'j3'"
};

// The attribute's number; absent: nullopt.
std::optional<double> XmlNumber(const tinyxml2::XMLElement& e, const char* attribute, const XmlPlace& at);
// The attribute's number; absent: an error.
double XmlRequiredNumber(const tinyxml2::XMLElement& e, const char* attribute, const XmlPlace& at);
// Three numbers separated by blanks; absent: `fallback`.
Eigen::Vector3d XmlTriple(const tinyxml2::XMLElement& e, const char* attribute, const Eigen::Vector3d& fallback,
                          const XmlPlace& at);
// The attribute's text; absent: an error.
std::string XmlRequiredText(const tinyxml2::XMLElement& e, const char* attribute, const XmlPlace& at);
// The only child of that name, or null. A second one is an error.
const tinyxml2::XMLElement* XmlChild(const tinyxml2::XMLElement& e, const char* name, const XmlPlace& at);

}  // namespace torqued::robots
