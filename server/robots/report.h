// How does a reader say what is wrong? The first error is kept, with element and line; findings are collected.
//
// Readers go on with harmless defaults after an error and look at failed() where going on would be senseless. So
// reading code stays straight, and every error has the same form: "line 12: joint 'j3': axis: ...".
#pragma once

#include <absl/status/status.h>

#include <string>
#include <utility>
#include <vector>

#include "server/robots/finding.h"

namespace torqued::robots {

class Report {
 public:
  // `element` as in Finding; line 0: not known. Only the first call counts.
  void Fail(int line, const std::string& element, const std::string& what,
            absl::StatusCode code = absl::StatusCode::kInvalidArgument);
  bool failed() const { return !status_.ok(); }
  const absl::Status& status() const { return status_; }

  void Add(const char* code, Severity severity, const std::string& element, int line,
           const std::string& message, const std::string& value = "");
  const std::vector<Finding>& findings() const { return findings_; }
  std::vector<Finding> TakeFindings() { return std::move(findings_); }

 private:
  absl::Status status_;
  std::vector<Finding> findings_;
};

// "link 'forearm'": long names are shortened, control characters shown as '?'.
std::string Element(const char* kind, const std::string& name);
// The same for a name or value inside a message: 'forearm'.
std::string Quoted(const std::string& text);

}  // namespace torqued::robots
