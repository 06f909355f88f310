// What does the service tell its operator? Lines of name=value, each written through one function that the program gives.
//
//   audit who=alice role=editor peer=ipv4:10.0.0.7 method=UpdateModel on=models/arm outcome=OK id=4f1c...
//
// Every decision about a caller is told. What changes something is told each time. Of the rest (a read that is allowed,
// a refusal) the first of its kind is told at once, and each minute how often it was repeated: a flood of calls makes
// no flood of lines. No line holds a token, a key or a source.
#pragma once

#include <absl/time/time.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace torqued {

enum class Weight { kDebug, kInfo, kWarning, kError };

struct Journal {
  std::function<void(Weight, const std::string&)> write = [](Weight, const std::string&) {};  // thread-safe
  std::function<void(const std::string&)> audit = [](const std::string&) {};                   // thread-safe
  // Whether each call is worth a line; calls slower than slow_ms are, in any case.
  std::function<bool()> tells_calls = [] { return false; };
};

// " name=value"; quoted and escaped where it holds more than plain characters, cut at 200. Nothing for an empty value.
std::string LogField(std::string_view name, std::string_view value);

struct Decision {
  std::string who, role, peer, method, on, outcome, request_id;
  bool change = false;  // told each time
};

// Thread-safe.
class AuditBook {
 public:
  explicit AuditBook(std::function<void(const std::string&)> write) : write_(std::move(write)) {}
  void Note(const Decision& decision);
  // Tells what was repeated since the last time; called every minute and at the end.
  void TellRepeated();

 private:
  static constexpr size_t kMostKinds = 10000;

  const std::function<void(const std::string&)> write_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> repeated_;  // line without request id -> how often since it was told
};

}  // namespace torqued
