// Who is at work during a soak: each asks until it is told to stop, and notes what it was answered.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "client/cli/backend.h"
#include "tests/soak/questions.h"

namespace torqued::testing {

struct Ledger {
  std::mutex mutex;
  std::map<std::string, long> answers;           // by method
  std::map<std::string, long> explained;         // errors that must be: why
  std::vector<std::string> wrong;                // what did not hold
  std::atomic<bool> stop{false};

  void Answered(const std::string& method) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++answers[method];
  }
  void Explained(const std::string& why) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++explained[why];
  }
  void Wrong(const std::string& what) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (wrong.size() < 50) wrong.push_back(what);
  }
};

// Asks all questions round and round, from the `first` one on; answers must be those that the questions hold.
void AskAll(cli::Backend& server, const std::vector<Question>& questions, size_t first, Ledger& ledger);
// A model of its own is made, changed, asked, deleted; numbers must be those of the revision that answered.
void ChangeModels(const std::string& address, int number, Ledger& ledger);
// Changes arrive in order, none twice.
void Watch(const std::string& address, Ledger& ledger);
// One stream, open all the time: the same numbers each time.
void Stream(const std::string& address, Ledger& ledger);
void AskServer(const std::string& address, Ledger& ledger);
// A child that asks large batches is killed in the middle of it, again and again. `self`: this program.
void KillClients(const std::string& address, const char* self, Ledger& ledger);
// That child.
int Victim(const std::string& address);

}  // namespace torqued::testing
