// Labels as one text column: "key=value" lines, sorted, with '%', '=' and line ends escaped as %XX.
#pragma once

#include <map>
#include <string>

namespace torqued {

std::string LabelsToText(const std::map<std::string, std::string>& labels);
std::map<std::string, std::string> LabelsFromText(const std::string& text);

}  // namespace torqued
