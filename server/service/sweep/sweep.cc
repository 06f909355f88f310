#include "server/service/sweep/sweep.h"

#include <absl/strings/str_cat.h>

#include <cmath>
#include <condition_variable>
#include <thread>

#include "server/service/compute/question.h"

namespace torqued {
namespace {

constexpr int kBlock = 256;                    // rows between looks at the interrupt
constexpr std::int64_t kChunkStates = 16384;   // of all cases together: some milliseconds
constexpr std::int64_t kPilotStates = 16384;   // of one case: where the histogram lies
constexpr int kLeastBins = 2048;
constexpr std::int64_t kWorthCompiling = 100000;
constexpr std::int64_t kLeastSearchBudget = 2000000;  // evaluations of all searches together
constexpr int kMostCases = 64, kMostPercentiles = 32, kMostBins = 1024;

// Bins between low and high with a tenth of that on either side.
sweep::Bins MakeBins(double low, double high, int count) {
  const double margin = high > low ? 0.1 * (high - low) : std::max(1e-9, 1e-9 * std::abs(low));
  sweep::Bins b;
  b.lower = low - margin;
  b.count = count;
  b.scale = count / (high - low + 2 * margin);
  return b;
}

absl::Status CheckRequest(const ModelEntry& entry, const v1::SweepRequest& request) {
  if (entry.nv() == 0)
    return wire::Precondition("NOTHING_MOVES", "model", {entry.id}, absl::StrCat("model '", entry.id, "' has no joint that moves"));
  if (request.payloads_size() > kMostCases)
    return wire::BadField("payloads", absl::StrCat(request.payloads_size(), " payloads, at most ", kMostCases), "WRONG_SIZE");
  if (!v1::SweepRequest::Quantity_IsValid(request.quantity()))
    return wire::BadField("quantity", absl::StrCat(static_cast<int>(request.quantity()), " is unknown"));
  if (request.percentiles_size() > kMostPercentiles)
    return wire::BadField("percentiles", absl::StrCat(request.percentiles_size(), " values, at most ", kMostPercentiles), "WRONG_SIZE");
  for (int k = 0; k < request.percentiles_size(); ++k)
    if (!(request.percentiles(k) > 0 && request.percentiles(k) < 100))
      return wire::BadField(absl::StrCat("percentiles[", k, "]"), absl::StrCat(request.percentiles(k), ", want between 0 and 100"));
  if (request.histogram_bins() < 0 || request.histogram_bins() > kMostBins)
    return wire::BadField("histogram_bins", absl::StrCat(request.histogram_bins(), ", want 0 to ", kMostBins));
  return absl::OkStatus();
}

}  // namespace

struct Sweep::Lane {
  sweep::StateBlock states;
  sweep::MeasureScratch scratch;
  std::vector<double> out;
  double column[kBlock];
  Tallies tallies;
};

Sweep::Sweep(EntryPtr entry, const v1::SweepRequest& request) : entry_(std::move(entry)), request_(request) {}
Sweep::~Sweep() = default;

absl::StatusOr<std::unique_ptr<Sweep>> Sweep::Start(EntryPtr entry, const v1::SweepRequest& request,
                                                    const SweepOptions& options, const Interrupt* interrupt) {
  if (absl::Status s = CheckRequest(*entry, request); !s.ok()) return s;
  std::unique_ptr<Sweep> sweep(new Sweep(std::move(entry), request));
  if (absl::Status s = sweep->Prepare(options, interrupt); !s.ok()) return s;
  return sweep;
}

absl::Status Sweep::Prepare(const SweepOptions& options, const Interrupt* interrupt) {
  begin_ = absl::Now();
  Scratch scratch;
  const Call call{*entry_, scratch, interrupt};
  auto sampler = sweep::MakeSampler(call, request_);
  if (!sampler.ok()) return sampler.status();
  sampler_ = *std::move(sampler);
  const bool compile = options.compile && sampler_->count() >= kWorthCompiling;
  const int cases = std::max(1, request_.payloads_size());
  for (int c = 0; c < cases; ++c) {
    const bool loaded = request_.payloads_size() > 0;
    auto measure = sweep::MakeMeasure(call, request_, *sampler_, loaded ? &request_.payloads(c) : nullptr,
                                      absl::StrCat("payloads[", c, "]"), compile);
    if (!measure.ok()) return measure.status();
    measures_.push_back(*std::move(measure));
  }
  const auto asked = ResolveContext(call, request_.context());
  if (!asked.ok()) return asked.status();
  Inform(call, *asked, request_.context(), static_cast<int>(sampler_->count()), &info_);
  if (request_.quantity() != v1::SweepRequest::QUANTITY_TORQUE && request_.quantity() != v1::SweepRequest::QUANTITY_UNSPECIFIED)
    info_.set_frame(entry_->prepared.frame_names[asked->tool_frame]);

  chunk_rows_ = std::max<std::int64_t>(kBlock, kChunkStates / cases / kBlock * kBlock);
  chunks_ = (sampler_->count() + chunk_rows_ - 1) / chunk_rows_;
  sums_.resize(static_cast<size_t>(cases) * columns());
  tallies_.resize(sums_.size());
  return Pilot(call);
}

absl::Status Sweep::Pilot(const Call& call) {
  const std::int64_t count = std::min(sampler_->count(), kPilotStates), stride = sampler_->count() / count;
  const int asked_bins = request_.histogram_bins();
  const int bins = asked_bins > 0 ? (kLeastBins + asked_bins - 1) / asked_bins * asked_bins : kLeastBins;
  std::vector<double> low(sums_.size(), HUGE_VAL), high(sums_.size(), -HUGE_VAL);
  Lane lane;
  lane.states.Resize(kBlock, entry_->nq(), entry_->nv());
  lane.out.resize(static_cast<size_t>(kBlock) * columns());
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const int rows = static_cast<int>(std::min<std::int64_t>(kBlock, count - first));
    sampler_->Fill(first * stride, stride, rows, lane.states);
    for (size_t c = 0; c < measures_.size(); ++c) {
      if (call.interrupt)
        if (absl::Status s = call.interrupt->Check(); !s.ok()) return s;
      if (absl::Status s = measures_[c]->Rows(call, lane.states, rows, lane.scratch, lane.out.data()); !s.ok()) return s;
      for (int r = 0; r < rows; ++r)
        for (int k = 0; k < columns(); ++k) {
          const double x = lane.out[static_cast<size_t>(r) * columns() + k];
          if (!std::isfinite(x))
            return wire::BadField("states", absl::StrCat("sample ", (first + r) * stride, " has no finite answer"), "NOT_FINITE");
          double &least = low[At(static_cast<int>(c), k)], &most = high[At(static_cast<int>(c), k)];
          least = std::min(least, x);
          most = std::max(most, x);
        }
    }
  }
  for (size_t i = 0; i < low.size(); ++i) bins_.push_back(MakeBins(low[i], high[i], bins));
  return absl::OkStatus();
}

std::unique_ptr<Sweep::Lane> Sweep::TakeLane() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (free_lanes_.empty()) {
    auto lane = std::make_unique<Lane>();
    lane->states.Resize(kBlock, entry_->nq(), entry_->nv());
    lane->out.resize(static_cast<size_t>(kBlock) * columns());
    lane->tallies.resize(tallies_.size());
    return lane;
  }
  auto lane = std::move(free_lanes_.back());
  free_lanes_.pop_back();
  return lane;
}

absl::Status Sweep::Chunk(const Call& call, std::int64_t chunk) {
  auto lane = TakeLane();
  std::vector<sweep::Sums> sums(sums_.size());
  const std::int64_t begin = chunk * chunk_rows_, end = std::min(begin + chunk_rows_, sampler_->count());
  const int start = static_cast<int>(chunk % sweep::kStarts);
  for (std::int64_t first = begin; first < end; first += kBlock) {
    const int rows = static_cast<int>(std::min<std::int64_t>(kBlock, end - first));
    sampler_->Fill(first, 1, rows, lane->states);
    for (int c = 0; c < static_cast<int>(measures_.size()); ++c) {
      if (call.interrupt)
        if (absl::Status s = call.interrupt->Check(); !s.ok()) return s;
      const sweep::Measure& measure = *measures_[c];
      if (absl::Status s = measure.Rows(call, lane->states, rows, lane->scratch, lane->out.data()); !s.ok()) return s;
      for (int k = 0; k < columns(); ++k) {
        for (int r = 0; r < rows; ++r) lane->column[r] = lane->out[static_cast<size_t>(r) * columns() + k];
        lane->tallies[At(c, k)].Add(lane->column, rows, first, start, bins_[At(c, k)], measure.beyond()[k],
                                    sums[At(c, k)]);
      }
    }
    done_.fetch_add(rows * static_cast<std::int64_t>(measures_.size()), std::memory_order_relaxed);
  }
  for (const sweep::Sums& s : sums)
    if (!std::isfinite(s.squares))
      return wire::BadField("states", absl::StrCat("no finite answer among samples ", begin, " to ", end - 1), "NOT_FINITE");

  const std::lock_guard<std::mutex> lock(mutex_);
  free_lanes_.push_back(std::move(lane));
  waiting_.emplace(chunk, std::move(sums));
  for (auto next = waiting_.begin(); next != waiting_.end() && next->first == merged_chunks_; next = waiting_.erase(next)) {
    for (size_t i = 0; i < sums_.size(); ++i) {
      sums_[i].sum += next->second[i].sum;
      sums_[i].squares += next->second[i].squares;
    }
    ++merged_chunks_;
  }
  if (++finished_chunks_ == chunks_) PlanSearches();
  return absl::OkStatus();
}

// REQUIRES: mutex_ is held, every chunk is done.
void Sweep::PlanSearches() {
  for (const auto& lane : free_lanes_)
    for (size_t i = 0; i < tallies_.size(); ++i)
      if (!lane->tallies[i].bins.empty()) tallies_[i].Join(lane->tallies[i]);
  free_lanes_.clear();
  for (size_t c = 0; c < measures_.size(); ++c)
    for (int k = 0; k < columns(); ++k)
      for (const double sign : {-1.0, 1.0})
        for (int start = 0; start < sweep::kStarts; ++start) {
          const sweep::ColumnTally& tally = tallies_[At(static_cast<int>(c), k)];
          const sweep::Best& best = (sign < 0 ? tally.least : tally.greatest)[start];
          if (best.sample >= 0) searches_.push_back({sampler_.get(), measures_[c].get(), k, sign, best, 0});
        }
  // Refining may cost as much as sampling did, and a second for a small sweep.
  const std::int64_t budget = request_.omit_refinement() ? 0 : std::max(total(), kLeastSearchBudget);
  for (sweep::SearchTask& task : searches_) task.evaluations = budget / static_cast<std::int64_t>(searches_.size());
  found_.resize(searches_.size());
  searching_ = true;
}

absl::Status Sweep::RunSearch(const Call& call, int number) {
  sweep::MeasureScratch scratch;
  auto found = sweep::Search(searches_[number], call, scratch);
  if (!found.ok()) return found.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  found_[number] = *std::move(found);
  if (++finished_searches_ == static_cast<int>(searches_.size())) end_ = absl::Now();
  return absl::OkStatus();
}

absl::Status Sweep::Fail(const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_.ok()) error_ = status;
  return error_;
}

absl::StatusOr<Sweep::Step> Sweep::Work(Scratch& scratch, const Interrupt* interrupt) {
  const Call call{*entry_, scratch, interrupt};
  bool searching;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!error_.ok()) return error_;
    searching = searching_;
    if (searching && finished_searches_ == static_cast<int>(searches_.size())) return Step::kDone;
  }
  if (!searching) {
    const std::int64_t chunk = next_chunk_.fetch_add(1);
    if (chunk >= chunks_) return Step::kIdle;
    if (absl::Status s = Chunk(call, chunk); !s.ok()) return Fail(s);
    return Step::kMore;
  }
  const int number = next_search_.fetch_add(1);
  if (number >= static_cast<int>(searches_.size())) return Step::kIdle;
  if (absl::Status s = RunSearch(call, number); !s.ok()) return Fail(s);
  const std::lock_guard<std::mutex> lock(mutex_);
  return finished_searches_ == static_cast<int>(searches_.size()) ? Step::kDone : Step::kMore;
}

void Sweep::Progress(v1::SweepResponse* out) const {
  out->set_done(done());
  out->set_total(total());
  out->set_seconds(absl::ToDoubleSeconds(absl::Now() - begin_));
  *out->mutable_info() = info_;
}

absl::Status RunSweep(Sweep& sweep, int threads, const Interrupt* interrupt, const std::function<void()>& progress) {
  std::mutex mutex;
  std::condition_variable changed;
  long pieces = 0;
  bool done = false;
  absl::Status status;
  const auto work = [&] {
    Scratch scratch;
    for (;;) {
      long before;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (done) return;
        before = pieces;
      }
      const auto step = sweep.Work(scratch, interrupt);
      std::unique_lock<std::mutex> lock(mutex);
      if (step.ok() && *step == Sweep::Step::kIdle) {
        changed.wait(lock, [&] { return done || pieces != before; });
        continue;
      }
      ++pieces;
      if (!step.ok() && !done) status = step.status();
      done |= !step.ok() || *step == Sweep::Step::kDone;
      changed.notify_all();
    }
  };
  std::vector<std::thread> workers;
  for (int t = 0; t < std::max(1, threads); ++t) workers.emplace_back(work);
  {
    std::unique_lock<std::mutex> lock(mutex);
    auto due = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (!changed.wait_until(lock, due, [&] { return done; })) {
      due += std::chrono::milliseconds(100);
      lock.unlock();
      if (progress) progress();
      lock.lock();
    }
  }
  for (std::thread& worker : workers) worker.join();
  return status;
}

}  // namespace torqued
