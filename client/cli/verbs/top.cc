// torquectl top: what is the server doing right now?
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "client/cli/numbers.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/server.pb.h"

namespace torqued::cli {
namespace {

class Top : public Verb {
 public:
  VerbText Text() const override {
    return {"top",
            kServer,
            "live table of methods: calls, samples, errors, latency",
            {"top", "top --every 5s --models", "top --once --json"},
            "Rates are those since the line before; Ctrl-C ends."};
  }

  void Declare(OptionSet& options) override {
    options.Flag("--once", once_, "print once and end (default where the output is no terminal)");
    options.Flag("--models", models_, "a line per method and model");
    options.Text("--every", every_, "2s", "how often, default 2s");
    options.Whole("--rounds", rounds_, 1, "end after so many tables");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto every = ParseDuration("--every", every_);
    if (!every.ok()) return every.status();
    const bool live =
        !once_ && (rounds_ > 0 || (isatty(STDOUT_FILENO) == 1 && session.for_people()));
    v1::GetStatisticsRequest request;
    request.set_per_model(models_);
    std::map<std::string, int64_t> calls_before, samples_before;
    auto then = std::chrono::steady_clock::now();
    for (int64_t round = 1;; ++round) {
      const auto answer = session.Ask<v1::GetStatisticsResponse>(request);
      if (!answer.ok()) return answer.status();
      const auto now = std::chrono::steady_clock::now();
      const double elapsed = std::chrono::duration<double>(now - then).count();
      then = now;
      Sheet sheet{"",
                  {"method", "model", "calls", "errors", "samples", "calls/s", "samples/s",
                   "p50[us]", "p99[us]", "mean[us]"},
                  {}};
      std::vector<v1::MethodStatistics> lines(answer->methods().begin(), answer->methods().end());
      std::sort(lines.begin(), lines.end(),
                [](const auto& a, const auto& b) { return a.calls() > b.calls(); });
      for (const auto& line : lines) {
        const std::string key = line.method() + " " + line.model();
        const bool known = round > 1;
        const auto rate = [&](std::map<std::string, int64_t>& before, int64_t count) {
          const Cell cell =
              known ? Cell(Fixed(static_cast<double>(count - before[key]) / elapsed, 1)) : Cell("");
          before[key] = count;
          return cell;
        };
        const Cell calls = rate(calls_before, line.calls()),
                   samples = rate(samples_before, line.samples());
        sheet.rows.push_back({line.method().substr(line.method().rfind('/') + 1), line.model(),
                              line.calls(), line.errors(), line.samples(), calls, samples,
                              line.p50_us(), line.p99_us(), line.mean_us()});
      }
      if (live && isatty(STDOUT_FILENO) == 1) session.out() << "\033[H\033[J";
      session.Show(*answer, {sheet});
      session.out().flush();
      if (!live || round == rounds_) return Exit::kOk;
      std::this_thread::sleep_for(*every);
    }
  }

 private:
  bool once_ = false, models_ = false;
  std::string every_ = "2s";
  int64_t rounds_ = 0;
};

}  // namespace

std::unique_ptr<Verb> MakeTop() { return std::make_unique<Top>(); }

}  // namespace torqued::cli
