#include "server/robots/report.h"

#include "absl/strings/string_view.h"

namespace torqued {

bool IsPhysical(std::string_view code) {
  using namespace finding;
  for (const char* physical : {kNonphysicalInertia, kNegativeMass, kInertiaWithoutMass,
                               kMasslessMovingLink, kUnitsSuspect, kLimitReversed, kLimitNegative})
    if (code == physical) return true;
  return false;
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "error";
}

}  // namespace torqued

namespace torqued::robots {

void Report::Fail(int line, const std::string& element, const std::string& what,
                  absl::StatusCode code) {
  if (failed()) return;
  std::string message;
  if (line > 0) message = "line " + std::to_string(line) + ": ";
  if (!element.empty()) message += element + ": ";
  message += what;
  status_ = absl::Status(code, absl::string_view(message.data(), message.size()));
}

void Report::Add(const char* code, Severity severity, const std::string& element, int line,
                 const std::string& message, const std::string& value) {
  constexpr size_t kMaxFindings = 2000;
  if (findings_.size() < kMaxFindings)
    findings_.push_back({code, severity, element, line, message, value});
}

std::string Quoted(const std::string& text) {
  constexpr size_t kShown = 60;
  std::string out = "'";
  size_t end = text.size();
  if (end > kShown) {
    end = kShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  }
  for (size_t i = 0; i < end; ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    out += (c < 0x20 || c == 0x7F) ? '?' : text[i];
  }
  if (end < text.size()) out += "...";
  return out + "'";
}

std::string Element(const char* kind, const std::string& name) {
  return std::string(kind) + " " + Quoted(name);
}

}  // namespace torqued::robots
