// torquectl wrench: which force (or which unknown load) do measured torques reveal?
#include <absl/strings/str_cat.h>

#include <cmath>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/statics.pb.h"

namespace torqued::cli {
namespace {

class Wrench : public Verb {
 public:
  VerbText Text() const override {
    return {"wrench",
            kStatics,
            "wrench, or mass of an unknown load, from measured joint torques",
            {"wrench puma560 --q 0,0.785,3.1416,0,0.785,0 --tau 0.64,29.09,4.70,2.83,-1.97,3.0 "
             "--exerted-by robot",
             "wrench ur5e --states still.csv --load --com 0,0,0.1",
             "wrench ur5e --states still.csv --load --on tool0"},
            "Least squares: the answer says the rank, the residual, what cannot be known, and the "
            "standard deviations."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kTau, false, false);
    options.Group("Unknown");
    options.Choice("--exerted-by", exerter_, {"robot", "environment"},
                   "whose wrench is sought (needed, unless --load)");
    options.Text("--at", at_, "FRAME", "where it acts; default: the tool frame");
    options.Choice("--axes", axes_, {"world", "frame"}, "axes of the wrench (default: world)");
    options.Flag("--load", load_,
                 "seek the mass of an unknown load instead, from all states together");
    options.Text("--on", on_, "FRAME", "frame that carries the load; default: the tool frame");
    options.Text("--com", com_, "X,Y,Z",
                 "its centre of mass in that frame [m], where known; else it is estimated too");
    options.Text("--noise", noise_, "NM",
                 "standard deviation of the torques [Nm]; default: from the residual");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    if (subject->states.tau.values_size() == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("--tau: missing, want ", subject->model.velocity_count(),
                       " values: ", Describe(Columns(subject->model, Quantity::kEffort))));
    v1::ComputeInverseStaticsRequest request;
    subject->Fill(request);
    *request.mutable_efforts() = subject->states.tau;
    if (load_) {
      auto* load = request.mutable_payload();
      load->set_frame(on_);
      if (!com_.empty()) {
        const auto com = ParseVector("--com", com_);
        if (!com.ok()) return com.status();
        *load->mutable_center_of_mass() = *com;
      }
    } else {
      if (exerter_.empty())
        return absl::InvalidArgumentError(
            "--exerted-by: missing, want robot or environment (people differ: there is no "
            "default)");
      auto* wrench = request.mutable_wrench();
      wrench->set_frame(at_);
      wrench->set_axes(axes_ == "frame" ? v1::AXES_FRAME : v1::AXES_WORLD);
      wrench->set_exerter(exerter_ == "robot" ? v1::EXERTER_ROBOT : v1::EXERTER_ENVIRONMENT);
    }
    if (!noise_.empty()) {
      const auto noise = ParseNumber("--noise", noise_);
      if (!noise.ok()) return noise.status();
      request.set_effort_noise(*noise);
    }
    const auto answer = session.Ask<v1::ComputeInverseStaticsResponse>(request);
    if (!answer.ok()) return answer.status();
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->results_size(); ++s) AddSheets(sheets, *subject, *answer, s);
    session.Show(*answer, sheets);
    return Exit::kOk;
  }

 private:
  void AddSheets(std::vector<Sheet>& sheets, const Subject& subject,
                 const v1::ComputeInverseStaticsResponse& answer, int s) const {
    static const std::vector<std::string> kWrench = {"fx[N]",  "fy[N]",  "fz[N]",
                                                     "mx[Nm]", "my[Nm]", "mz[Nm]"};
    static const std::vector<std::string> kLoad = {"mass[kg]", "mass * com x[kg m]",
                                                   "mass * com y[kg m]", "mass * com z[kg m]"};
    const auto& names = load_ ? kLoad : kWrench;
    const auto& result = answer.results(s);
    const int n = result.estimate_size();
    const std::string title =
        Headline(load_ ? "unknown load" : "wrench by the " + exerter_, answer.info());
    Sheet sheet{load_ ? title : SampleTitle(subject.states, s, title),
                {"", "estimate", "standard deviation"},
                {}};
    for (int i = 0; i < n; ++i) {
      const bool known = result.covariance_size() == n * n;
      sheet.rows.push_back(
          {static_cast<size_t>(i) < names.size() ? names[static_cast<size_t>(i)]
                                                 : std::to_string(i),
           result.estimate(i),
           known ? Cell(std::sqrt(std::max(0.0, result.covariance(i * n + i)))) : Cell("")});
    }
    sheets.push_back(sheet);
    sheets.push_back(
        {"", {"rank", "residual [Nm]"}, {{int64_t{result.rank()}, result.residual()}}});
    if (n == 0 || result.unknowable_directions_size() == 0) return;
    Sheet unknown{
        "directions that these torques do not show",
        {names.begin(), names.begin() + std::min<long>(n, static_cast<long>(names.size()))},
        {}};
    for (int r = 0; r < result.unknowable_directions_size() / n; ++r) {
      unknown.rows.emplace_back();
      for (int c = 0; c < n; ++c)
        unknown.rows.back().push_back(result.unknowable_directions(r * n + c));
    }
    sheets.push_back(unknown);
  }

  SubjectOptions subject_;
  std::string exerter_, at_, axes_, on_, com_, noise_;
  bool load_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeWrench() { return std::make_unique<Wrench>(); }

}  // namespace torqued::cli
