// torquectl sweep: what happens over millions of states, and which motor is too small?
#include <absl/strings/str_cat.h>

#include <cmath>

#include "client/cli/envelope.h"
#include "client/cli/json.h"
#include "client/cli/numbers.h"
#include "client/cli/progress.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

constexpr int kPlotBins = 60, kMostPayloads = 64;
constexpr double kUnreached = 1000;  // [kg], where the server cuts margins off

class Sweep : public Verb {
 public:
  VerbText Text() const override {
    return {"sweep",
            kDynamics,
            "extremes, percentiles and limits over millions of states",
            {"sweep ur5e --box limits --payload-range 0:5:0.5 --plot envelope.svg",
             "sweep ur5e --box limits --speed 0.5 --acceleration 2 --samples 10000000 "
             "--percentiles 50,99",
             "sweep two-link --grid 181 --quantity singular",
             "sweep scara --knots motion.csv --samples 100000 --terms inertia,velocity"},
            "The states are sampled where they are computed: at random within --box, on a --grid, "
            "or along the cubic through --knots.\n"
            "Samples depend on --seed alone. Extremes are refined by a local search and reported "
            "with their states (--json).\n"
            "With --payload-range the load is a point mass; the payload at which a motor becomes "
            "too small is searched over the same states.\n"
            "Exit code 2: some torque is beyond its limit."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "model: id, id@revision, in process also a file");
    options.Group("States");
    options.Text("--box", box_, "limits|LO:HI,...",
                 "random states: position limits, or a range per joint [rad or m]");
    options.Text("--grid", grid_, "N[,N...]",
                 "points per joint over the same ranges instead of random states");
    options.Text("--knots", knots_, "FILE.csv",
                 "trajectory through time[s], JOINT.q and, where given, JOINT.v");
    options.Text("--speed", speed_, "SHARE",
                 "joint speeds up to this share of their limits; default 0: at rest");
    options.Text("--acceleration", acceleration_, "A[,A...]",
                 "accelerations up to plus and minus this, one for all or per joint; default 0");
    options.Whole("--samples", samples_, 1, "how many, default 1000000");
    options.Whole("--seed", seed_, 0, "of the random states, default 1");
    options.Group("What is looked at");
    options.Choice("--quantity", quantity_, {"torque", "singular", "margin"},
                   "torques, singular values of the hand's Jacobian, or the load that may be "
                   "added (default: torque)");
    options.Text("--payload-range", payload_range_, "FROM:TO:STEP",
                 "point masses at the tool [kg], each for itself");
    options.Text("--payload-at", payload_at_, "X,Y,Z",
                 "where they are, in the tool frame [m]; default 0,0,0");
    options.Text("--effort-limits", limits_, "L,...", "instead of the model's effort limits");
    options.Text("--percentiles", percentiles_, "P,...", "default 1,50,99");
    options.Text("--plot", plot_, "FILE.svg",
                 "torque bands over payloads; one payload: histograms");
    options.Text("--out", out_, "FILE", "the answer as CSV, or JSON where the name ends in .json");
    question_.Declare(options, false, true);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto model = session.GetModel(model_);
    if (!model.ok()) return model.status();
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    const auto request = Request(**who, *model);
    if (!request.ok()) return request.status();
    const auto answer = Ask(**who, *request);
    if (!answer.ok()) return answer.status();
    std::vector<double> first_payload;  // per joint, where its motor becomes too small
    if (!payload_range_.empty() && HasLimits(*answer)) {
      v1::SweepRequest margin = *request;
      margin.clear_payloads();
      margin.set_quantity(v1::SweepRequest::QUANTITY_PAYLOAD_MARGIN);
      *margin.mutable_margin_point() = request->payloads(0).center_of_mass();
      const auto margins = Ask(**who, margin);
      if (!margins.ok()) return margins.status();
      for (const auto& column : margins->cases(0).columns())
        first_payload.push_back(column.minimum().value());
    }
    std::vector<std::string> units;
    if (request->quantity() == v1::SweepRequest::QUANTITY_TORQUE)
      for (const Column& column : Columns(*model, Quantity::kEffort)) units.push_back(column.unit);
    if (!plot_.empty())
      if (absl::Status status = WriteFile(plot_, EnvelopeSvg(*answer, units)); !status.ok())
        return status;
    session.set_out_file(out_);
    session.Show(*answer, {ToSheet(session, *answer, first_payload)});
    if (!session.written().ok()) return session.written();
    if (session.for_people()) Verdicts(session, *answer, first_payload);
    return Beyond(*answer) ? Exit::kCheckFailed : Exit::kOk;
  }

 private:
  absl::StatusOr<v1::SweepRequest> Request(Backend& who, const v1::Model& model) const {
    v1::SweepRequest request;
    auto context = question_.Context();
    if (!context.ok()) return context.status();
    *request.mutable_context() = *std::move(context);
    const auto name = who.ModelName(model_, v1::BASE_UNSPECIFIED);
    if (!name.ok()) return name.status();
    request.mutable_context()->set_model(*name);
    request.set_quantity(quantity_ == "singular" ? v1::SweepRequest::QUANTITY_SINGULAR_VALUES
                         : quantity_ == "margin" ? v1::SweepRequest::QUANTITY_PAYLOAD_MARGIN
                                                 : v1::SweepRequest::QUANTITY_TORQUE);
    if (absl::Status status = FillStates(model, request); !status.ok()) return status;
    if (absl::Status status = FillPayloads(request); !status.ok()) return status;
    if (!limits_.empty()) {
      const auto limits = ParseNumbers("--effort-limits", limits_);
      if (!limits.ok()) return limits.status();
      for (const double x : *limits) request.add_limits(x);
    }
    const auto percentiles = ParseNumbers("--percentiles", percentiles_);
    if (!percentiles.ok()) return percentiles.status();
    for (const double p : *percentiles) request.add_percentiles(p);
    if (!plot_.empty()) request.set_histogram_bins(kPlotBins);
    return request;
  }

  absl::Status FillStates(const v1::Model& model, v1::SweepRequest& request) const {
    if (!knots_.empty()) {
      if (!box_.empty() || !grid_.empty() || !speed_.empty() || !acceleration_.empty())
        return absl::InvalidArgumentError(
            "--knots: goes without --box, --grid, --speed, --acceleration");
      return FillKnots(model, *request.mutable_knots());
    }
    if (box_.empty() && grid_.empty())
      return absl::InvalidArgumentError(
          "--box: which states? want --box limits, --box LO:HI,..., --grid or --knots");
    v1::SweepRange range;
    if (absl::Status status = FillRange(model, range); !status.ok()) return status;
    if (grid_.empty()) {
      *request.mutable_box()->mutable_range() = range;
      request.mutable_box()->set_samples(samples_);
      request.mutable_box()->set_seed(static_cast<uint64_t>(seed_));
      return absl::OkStatus();
    }
    *request.mutable_grid()->mutable_range() = range;
    const auto points = ParseNumbers("--grid", grid_);
    if (!points.ok()) return points.status();
    for (const double n : *points) {
      if (!(n >= 1 && n <= 1e9 && n == std::floor(n)))
        return absl::InvalidArgumentError(
            absl::StrCat("--grid: ", n, ", want whole numbers from 1"));
      request.mutable_grid()->add_points(static_cast<int>(n));
    }
    return absl::OkStatus();
  }

  absl::Status FillRange(const v1::Model& model, v1::SweepRange& range) const {
    if (!box_.empty() && box_ != "limits") {
      for (const std::string& part : SplitTrimmed(box_, ',')) {
        const auto ends = SplitTrimmed(part, ':');
        if (ends.size() != 2)
          return absl::InvalidArgumentError(
              absl::StrCat("--box: '", part, "', want LOWER:UPPER for each joint, or limits"));
        const auto low = ParseNumber("--box", ends[0]), high = ParseNumber("--box", ends[1]);
        if (!low.ok()) return low.status();
        if (!high.ok()) return high.status();
        range.mutable_lower_positions()->add_values(*low);
        range.mutable_upper_positions()->add_values(*high);
      }
    }
    if (!speed_.empty()) {
      const auto share = ParseNumber("--speed", speed_);
      if (!share.ok()) return share.status();
      if (!(*share >= 0)) return absl::InvalidArgumentError("--speed: want 0 or more");
      for (const auto& c : model.coordinates()) {
        if (!c.has_velocity())
          return absl::InvalidArgumentError(
              absl::StrCat("--speed: joint '", c.name(), "' has no speed limit"));
        range.mutable_lower_velocities()->add_values(-*share * c.velocity());
        range.mutable_upper_velocities()->add_values(*share * c.velocity());
      }
    }
    if (acceleration_.empty()) return absl::OkStatus();
    auto most = ParseNumbers("--acceleration", acceleration_);
    if (!most.ok()) return most.status();
    if (most->size() == 1) most->resize(static_cast<size_t>(model.velocity_count()), (*most)[0]);
    for (const double a : *most) {
      range.mutable_lower_accelerations()->add_values(-std::fabs(a));
      range.mutable_upper_accelerations()->add_values(std::fabs(a));
    }
    return absl::OkStatus();
  }

  absl::Status FillKnots(const v1::Model& model, v1::SweepKnots& knots) const {
    States table;
    if (absl::Status status = ReadStates(knots_, model, false, StateOptions::kV, table);
        !status.ok())
      return status;
    if (table.time.empty())
      return absl::InvalidArgumentError(absl::StrCat("--knots: ", knots_, ": no column time[s]"));
    for (const double t : table.time) knots.add_times(t);
    *knots.mutable_positions() = table.q;
    if (table.v.values_size() > 0) *knots.mutable_velocities() = table.v;
    knots.set_samples(samples_);
    return absl::OkStatus();
  }

  absl::Status FillPayloads(v1::SweepRequest& request) const {
    v1::Vector3 at;
    if (!payload_at_.empty()) {
      const auto point = ParseVector("--payload-at", payload_at_);
      if (!point.ok()) return point.status();
      at = *point;
    }
    *request.mutable_margin_point() = at;
    if (payload_range_.empty()) return absl::OkStatus();
    if (request.quantity() != v1::SweepRequest::QUANTITY_TORQUE)
      return absl::InvalidArgumentError("--payload-range: want --quantity torque");
    std::vector<double> numbers;
    for (const std::string& part : SplitTrimmed(payload_range_, ':')) {
      const auto number = ParseNumber("--payload-range", part);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    if (numbers.size() != 3 || !(numbers[0] >= 0) || !(numbers[1] >= numbers[0]) ||
        !(numbers[2] > 0))
      return absl::InvalidArgumentError(
          absl::StrCat("--payload-range: '", payload_range_,
                       "', want FROM:TO:STEP in kg, 0 <= FROM <= TO, STEP > 0"));
    const double steps = std::floor((numbers[1] - numbers[0]) / numbers[2] + 1e-9);
    if (steps + 1 > kMostPayloads)
      return absl::InvalidArgumentError(
          absl::StrCat("--payload-range: ", steps + 1, " payloads, at most ", kMostPayloads));
    for (int i = 0; i <= static_cast<int>(steps); ++i) {
      auto* load = request.add_payloads();
      load->set_mass(numbers[0] + i * numbers[2]);
      *load->mutable_center_of_mass() = at;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<v1::SweepResponse> Ask(Backend& who, const v1::SweepRequest& request) const {
    v1::SweepResponse part;
    v1::AnswerInfo info;
    ProgressBar bar("sweeping");
    const absl::Status status = who.Receive(request, part, [&] {
      if (part.has_info()) info = part.info();
      bar.Show(part.done(), part.total());
      return true;
    });
    if (!status.ok()) return status;
    if (part.cases().empty()) return absl::InternalError("sweep: ended without an answer");
    *part.mutable_info() = info;
    return part;
  }

  static bool HasLimits(const v1::SweepResponse& answer) {
    for (const auto& column : answer.cases(0).columns())
      if (column.has_limit()) return true;
    return false;
  }

  static bool Exceeds(const v1::SweepColumn& column) {
    const double most =
        std::max(std::fabs(column.minimum().value()), std::fabs(column.maximum().value()));
    return column.has_limit() && (column.beyond_count() > 0 || most > column.limit());
  }

  // Of torques: singular values and margins have limits that one may want to see crossed.
  bool Beyond(const v1::SweepResponse& answer) const {
    if (!quantity_.empty() && quantity_ != "torque") return false;
    for (const auto& one : answer.cases())
      for (const auto& column : one.columns())
        if (Exceeds(column)) return true;
    return false;
  }

  Sheet ToSheet(Session& session, const v1::SweepResponse& answer,
                const std::vector<double>& first_payload) const {
    const bool people = session.for_people();
    Sheet sheet;
    sheet.title =
        absl::StrCat(Headline("sweep", answer.info()), ", ", answer.info().sample_count(), " states");
    const bool loaded = answer.cases(0).has_payload();
    if (loaded) sheet.columns.push_back(people ? "payload [kg]" : "payload[kg]");
    for (const char* name : {"joint", "minimum", "maximum", "rms"}) sheet.columns.push_back(name);
    const auto percentiles = SplitTrimmed(percentiles_, ',');
    for (const std::string& p : percentiles) sheet.columns.push_back(absl::StrCat("p", p));
    sheet.columns.push_back("limit");
    sheet.columns.push_back("share beyond");
    if (!first_payload.empty())
      sheet.columns.push_back(people ? "too small from [kg]" : "too_small_from[kg]");
    for (int c = 0; c < answer.cases_size(); ++c) {
      // For people the ends of a range: what lies between them is in the picture and the CSV.
      if (people && c > 0 && c + 1 < answer.cases_size()) continue;
      const auto& one = answer.cases(c);
      for (int k = 0; k < one.columns_size(); ++k) {
        const auto& column = one.columns(k);
        std::vector<Cell> row;
        if (loaded) row.push_back(Number(people, one.payload().mass(), 2));
        row.push_back(column.name());
        for (const double x : {column.minimum().value(), column.maximum().value(), column.rms()})
          row.push_back(Number(people, x, 3));
        for (const double x : column.percentiles()) row.push_back(Number(people, x, 3));
        row.push_back(column.has_limit() ? Number(people, column.limit(), 1) : Cell(""));
        row.push_back(column.has_limit() ? Cell(column.beyond_share()) : Cell(""));
        if (!first_payload.empty()) {
          const double kg = first_payload[static_cast<size_t>(k)];
          row.push_back(kg >= kUnreached ? Cell("never") : Number(people, std::max(kg, 0.0), 2));
        }
        sheet.rows.push_back(std::move(row));
      }
    }
    return sheet;
  }

  static Cell Number(bool people, double value, int decimals) {
    return people ? Cell(Fixed(value, decimals)) : Cell(value);
  }

  void Verdicts(Session& session, const v1::SweepResponse& answer,
                const std::vector<double>& first_payload) const {
    if (!plot_.empty()) session.out() << "plot: " << plot_ << "\n";
    if (first_payload.empty()) return;
    const auto& last = answer.cases(answer.cases_size() - 1);
    bool any = false;
    for (int k = 0; k < last.columns_size(); ++k) {
      const auto& column = last.columns(k);
      if (!Exceeds(column)) continue;
      any = true;
      const bool upper =
          std::fabs(column.maximum().value()) >= std::fabs(column.minimum().value());
      const auto& worst = upper ? column.maximum() : column.minimum();
      session.out() << "too small: " << column.name() << " from "
                    << Fixed(std::max(first_payload[static_cast<size_t>(k)], 0.0), 2)
                    << " kg on; with " << Fixed(last.payload().mass(), 2) << " kg "
                    << Fixed(worst.value(), 1) << " of " << Fixed(column.limit(), 1) << " at q =";
      for (const double q : worst.positions().values()) session.out() << " " << Fixed(q, 3);
      session.out() << "\n";
    }
    if (!any) session.out() << "every motor suffices up to " << Fixed(last.payload().mass(), 2) << " kg\n";
  }

  std::string model_, box_, grid_, knots_, speed_, acceleration_, quantity_, payload_range_,
      payload_at_, limits_, percentiles_ = "1,50,99", plot_, out_;
  int64_t samples_ = 1000000, seed_ = 1;
  QuestionOptions question_;
};

}  // namespace

std::unique_ptr<Verb> MakeSweep() { return std::make_unique<Sweep>(); }

}  // namespace torqued::cli
