#include "server/app/metrics.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "server/app/version.h"
#include "server/batch/instruction_set.h"

namespace torqued {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

class Page {
 public:
  MetricFamily& Family(const std::string& name, MetricType type, const std::string& help) {
    MetricFamily family;
    family.name = name;
    family.type = type;
    family.help = help;
    families_.push_back(std::move(family));
    return families_.back();
  }
  void Gauge(const std::string& name, const std::string& help, double value, const Labels& labels = {}) {
    ClientMetric metric;
    metric.label = labels;
    metric.gauge.value = value;
    Family(name, MetricType::Gauge, help).metric.push_back(metric);
  }
  void Counter(const std::string& name, const std::string& help, double value) {
    ClientMetric metric;
    metric.counter.value = value;
    Family(name, MetricType::Counter, help).metric.push_back(metric);
  }
  std::string Text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<MetricFamily> families_;
};

// Buckets as counted, one more than edges.
template <class Counts, class Edges>
ClientMetric Histogram(const Labels& labels, const Counts& counts, const Edges& edges, double scale, double sum) {
  ClientMetric metric;
  metric.label = labels;
  std::uint64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    total += static_cast<std::uint64_t>(counts[i]);
    const double edge = i < edges.size() ? static_cast<double>(edges[i]) * scale : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({total, edge});
  }
  metric.histogram.sample_count = total;
  metric.histogram.sample_sum = sum;
  return metric;
}

void AddCalls(const Statistics& statistics, Page& page) {
  const auto rows = statistics.Read(false);
  MetricFamily calls, durations, samples;
  for (const Statistics::Row& row : rows) {
    const std::string method = row.method.substr(row.method.rfind('/') + 1);
    for (size_t code = 0; code < row.codes.size(); ++code) {
      if (row.codes[code] == 0) continue;
      ClientMetric metric;
      metric.label = {{"method", method}, {"code", absl::StatusCodeToString(static_cast<absl::StatusCode>(code))}};
      metric.counter.value = static_cast<double>(row.codes[code]);
      calls.metric.push_back(metric);
    }
    durations.metric.push_back(
        Histogram({{"method", method}}, row.buckets, kBucketEdgesUs, 1e-6, static_cast<double>(row.nanoseconds) * 1e-9));
    ClientMetric metric;
    metric.label = {{"method", method}};
    metric.counter.value = static_cast<double>(row.samples);
    samples.metric.push_back(metric);
  }
  page.Family("torqued_calls_total", MetricType::Counter, "Calls that were answered, by method and status code.").metric = calls.metric;
  page.Family("torqued_call_duration_seconds", MetricType::Histogram, "From reading a call to its answer.").metric = durations.metric;
  page.Family("torqued_samples_total", MetricType::Counter, "Robot states that were answered.").metric = samples.metric;
  const Statistics::Batches batches = statistics.ReadBatches();
  page.Family("torqued_batch_samples", MetricType::Histogram, "Robot states in one call.")
      .metric.push_back(Histogram({}, batches.buckets, kBatchEdges, 1, static_cast<double>(batches.samples)));
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Names as every Prometheus client library has them.
void AddProcess(absl::Time since, Page& page) {
  const std::string stat = ReadFile("/proc/self/stat");
  const std::vector<std::string> words = absl::StrSplit(stat.substr(stat.rfind(')') + 1), ' ', absl::SkipEmpty());
  if (words.size() > 21) {
    const auto number = [&](int field) { return std::strtod(words[field].c_str(), nullptr); };
    page.Counter("process_cpu_seconds_total", "Processor time.", (number(11) + number(12)) / static_cast<double>(sysconf(_SC_CLK_TCK)));
    page.Gauge("process_resident_memory_bytes", "Resident memory.", number(21) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  double files = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd", error)) files += file.path().empty() ? 0 : 1;
  page.Gauge("process_open_fds", "Open file descriptors.", files);
  page.Gauge("process_max_fds", "File descriptors that may be open.", static_cast<double>(sysconf(_SC_OPEN_MAX)));
  page.Gauge("process_start_time_seconds", "When it started to serve, since 1970.", absl::ToDoubleSeconds(since - absl::UnixEpoch()));
}

}  // namespace

std::string MetricsPage(const Config& config, Engine& engine, const Server& server) {
  Page page;
  const ServerSight sight = server.Look();
  const auto models = engine.registry().snapshot();
  page.Gauge("torqued_info", "1; what serves: version, kernels in use.", 1,
             {{"version", TORQUED_VERSION}, {"commit", TORQUED_COMMIT}, {"instruction_set", ActiveKernels().name},
              {"compiles", engine.compiles() ? "true" : "false"}});
  page.Gauge("torqued_ready", "1 while new clients are welcome, 0 while draining.", sight.draining ? 0 : 1);
  AddCalls(server.statistics(), page);
  page.Gauge("torqued_queue_length", "Calls that wait for a worker.", sight.queued);
  page.Gauge("torqued_queue_capacity", "Calls that may wait for a worker.", sight.queue_length);
  page.Gauge("torqued_workers", "Workers for batches.", sight.worker_threads);
  page.Gauge("torqued_workers_busy", "Workers that compute, the one for short work included.", sight.running);
  page.Gauge("torqued_streams", "Streams and watches that are open.", sight.streams);
  page.Gauge("torqued_identities", "Tokens and certificates of the access file.", sight.identities);
  page.Gauge("torqued_models", "Registered models.", static_cast<double>(models->models.size()));
  page.Counter("torqued_store_changes_total", "Changes of models since the store was made.", static_cast<double>(models->position));
  page.Gauge("torqued_store_writable", "1; 0 while the store does not answer: models can be used, not changed.",
             engine.registry().store_state().writable ? 1 : 0);
  double bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(absl::StrCat(config.data_dir, "/models.sqlite", suffix), error);
    if (!error) bytes += static_cast<double>(size);
  }
  page.Gauge("torqued_store_bytes", "The store's files.", bytes);
  AddProcess(server.statistics().since(), page);
  return page.Text();
}

}  // namespace torqued
