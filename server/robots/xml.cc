#include "server/robots/xml.h"

#include "server/robots/number.h"

namespace torqued::robots {
namespace {

std::string Name(const tinyxml2::XMLElement& e, const char* attribute) {
  return std::string("<") + e.Name() + "> " + attribute;
}

double Parse(std::string_view text, const std::string& what, int line, const XmlPlace& at) {
  const absl::StatusOr<double> value = ParseNumber(text);
  if (value.ok()) return *value;
  const absl::string_view why = value.status().message();
  at.report.Fail(line, at.element, what + ": " + std::string(why.data(), why.size()));
  return 0;
}

}  // namespace

std::optional<double> XmlNumber(const tinyxml2::XMLElement& e, const char* attribute, const XmlPlace& at) {
  const char* text = e.Attribute(attribute);
  if (text == nullptr) return std::nullopt;
  return Parse(text, Name(e, attribute), e.GetLineNum(), at);
}

double XmlRequiredNumber(const tinyxml2::XMLElement& e, const char* attribute, const XmlPlace& at) {
  const std::optional<double> value = XmlNumber(e, attribute, at);
  if (!value) at.report.Fail(e.GetLineNum(), at.element, Name(e, attribute) + " is missing, want a number");
  return value.value_or(0);
}

Eigen::Vector3d XmlTriple(const tinyxml2::XMLElement& e, const char* attribute, const Eigen::Vector3d& fallback,
                          const XmlPlace& at) {
  const char* text = e.Attribute(attribute);
  if (text == nullptr) return fallback;
  constexpr std::string_view kBlank = " \t\r\n";
  std::string_view rest = text;
  Eigen::Vector3d out = fallback;
  int count = 0;
  for (size_t first; (first = rest.find_first_not_of(kBlank)) != std::string_view::npos; ++count) {
    rest.remove_prefix(first);
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
    rest.remove_prefix(word.size());
    if (count < 3) out[count] = Parse(word, Name(e, attribute), e.GetLineNum(), at);
  }
  if (count != 3)
    at.report.Fail(e.GetLineNum(), at.element,
                   Name(e, attribute) + ": " + std::to_string(count) + " numbers in " + Quoted(text) + ", want 3");
  return out;
}

std::string XmlRequiredText(const tinyxml2::XMLElement& e, const char* attribute, const XmlPlace& at) {
  const char* text = e.Attribute(attribute);
  if (text == nullptr) at.report.Fail(e.GetLineNum(), at.element, Name(e, attribute) + " is missing");
  return text ? text : "";
}

const tinyxml2::XMLElement* XmlChild(const tinyxml2::XMLElement& e, const char* name, const XmlPlace& at) {
  const tinyxml2::XMLElement* child = e.FirstChildElement(name);
  if (child != nullptr)
    if (const tinyxml2::XMLElement* second = child->NextSiblingElement(name))
      at.report.Fail(second->GetLineNum(), at.element, std::string("a second <") + name + ">, want one");
  return child;
}

}  // namespace torqued::robots
