// Does a server hold up? Everything it can be asked, by several clients at once, while models change and clients are
// killed: every answer is that of one thread in this process, every error is explained, memory stays where it is.
//
//   soak TORQUED ROBOTS [--seconds 600] [--clients 6]
//
// Exit code 0: all held; 2: something did not (named); 5: usage.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "client/cli/local_backend.h"
#include "tests/soak/actors.h"
#include "tests/soak/reflection.h"

namespace torqued::testing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kModels[] = {"ur5e", "two-link", "scara", "quadruped"};
// Asked by actors of their own, or answered above.
constexpr const char* kByActors[] = {
    "/torqued.v1.ModelService/CreateModel", "/torqued.v1.ModelService/UpdateModel", "/torqued.v1.ModelService/DeleteModel",
    "/torqued.v1.ModelService/GetModel", "/torqued.v1.ModelService/ListModels", "/torqued.v1.ModelService/ListModelRevisions",
    "/torqued.v1.ModelService/WatchModels", "/torqued.v1.StreamService/StreamCompute", "/torqued.v1.ServerService/GetServerInfo",
    "/torqued.v1.ServerService/GetStatistics", "/grpc.health.v1.Health/Check"};
constexpr double kMemoryGrowth = 0.02;
constexpr int kLongEnough = 60;  // [s] for memory to have settled

struct Served {
  pid_t pid;
  std::string address, folder;
};

Served StartServer(const std::string& program, const std::string& robots) {
  char folder[] = "/tmp/torqued-soak-XXXXXX";
  Served served{0, "", mkdtemp(folder)};
  const std::string port_file = served.folder + "/port", data = served.folder + "/data", log = served.folder + "/log";
  served.pid = fork();
  if (served.pid == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    // Machine code would take over from the interpreter at some moment, and its last bits differ.
    execl(program.c_str(), program.c_str(), "--listen", "127.0.0.1:0", "--data-dir", data.c_str(), "--robots", robots.c_str(),
          "--port-file", port_file.c_str(), "--log-file", log.c_str(), "--compile", "false", nullptr);
    _exit(127);
  }
  int port = 0;
  for (const auto end = Clock::now() + std::chrono::seconds(120); port == 0 && Clock::now() < end && waitpid(served.pid, nullptr, WNOHANG) == 0;) {
    std::ifstream(port_file) >> port;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (port == 0) throw std::runtime_error("torqued did not start; see " + log);
  served.address = "127.0.0.1:" + std::to_string(port);
  return served;
}

// Every method about a model, of every model; what none of them could answer is a fault of the soak.
std::vector<Question> MakeQuestions(const std::vector<RemoteMethod>& methods, cli::Backend& local, Ledger& ledger) {
  std::vector<Question> questions;
  for (const RemoteMethod& method : methods) {
    if (std::find(std::begin(kByActors), std::end(kByActors), method.name) != std::end(kByActors)) continue;
    if (method.name.find("/torqued.v1.") != 0) {
      std::printf("not asked: %s (gRPC's own)\n", method.name.c_str());
      continue;
    }
    int answered = 0;
    std::string why;
    for (const char* model : kModels) {
      Question q{method.name, model, FillRequest(method.request, model, local), nullptr, method.server_streams, {}, ""};
      const std::string type = method.request.substr(0, method.request.size() - std::strlen("Request")) + "Response";
      const auto* descriptor = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type);
      if (!q.request || descriptor == nullptr) continue;
      q.answer.reset(google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
      AskOnce(local, q, &q.status, &q.bytes);
      answered += q.status.ok() ? 1 : 0;
      if (!q.status.ok()) why = std::string(q.status.message());
      questions.push_back(std::move(q));
    }
    if (answered == 0) ledger.Wrong(method.name + ": no question of the soak can be answered: " + why);
  }
  return questions;
}

double ResidentMiB(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double Mean(const std::vector<double>& x, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; ++i) sum += x[i];
  return sum / static_cast<double>(to - from);
}

int Report(Ledger& ledger, const std::vector<double>& memory, int seconds) {
  long all = 0;
  for (const auto& [method, count] : ledger.answers) std::printf("%10ld  %s\n", count, method.c_str()), all += count;
  for (const auto& [why, count] : ledger.explained) std::printf("%10ld  %s\n", count, why.c_str());
  // The first half warms up: arenas, scratch of each thread, the store's cache.
  const size_t n = memory.size();
  if (n >= 8) {
    const double before = Mean(memory, n / 2, 3 * n / 4), after = Mean(memory, 3 * n / 4, n);
    std::printf("memory: %.1f MiB at first, %.1f MiB in the third quarter, %.1f MiB in the last (%+.2f %%)\n", memory.front(), before,
                after, 100 * (after / before - 1));
    if (seconds >= kLongEnough && after > before * (1 + kMemoryGrowth)) ledger.Wrong("memory grows");
  }
  std::printf("%ld answers in %d s, %zu faults\n", all, seconds, ledger.wrong.size());
  for (const std::string& what : ledger.wrong) std::printf("FAULT %s\n", what.c_str());
  return ledger.wrong.empty() ? 0 : 2;
}

int Soak(const char* self, const std::string& program, const std::string& robots, int seconds, int clients) {
  Ledger ledger;
  auto local = cli::MakeLocalBackend(robots);
  if (!local.ok()) return 5;
  for (const char* model : kModels)
    if (!(*local)->ModelName(model, v1::BASE_UNSPECIFIED).ok()) return 5;
  const Served served = StartServer(program, robots);
  const auto methods = AskMethods(grpc::CreateChannel(served.address, grpc::InsecureChannelCredentials()));
  std::printf("%zu methods by reflection\n", methods.size());
  const std::vector<Question> questions = MakeQuestions(methods, **local, ledger);

  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      ClientOptions options;
      options.server = served.address;
      options.deadline = std::chrono::seconds(60);
      const auto backend = cli::MakeRemoteBackend(options);
      if (backend.ok()) AskAll(**backend, questions, i * questions.size() / clients, ledger);
    });
  for (int i = 0; i < 2; ++i) threads.emplace_back(ChangeModels, served.address, i, std::ref(ledger));
  for (const auto actor : {Watch, Stream, AskServer}) threads.emplace_back(actor, served.address, std::ref(ledger));
  threads.emplace_back(KillClients, served.address, self, std::ref(ledger));

  std::vector<double> memory;
  for (const auto end = Clock::now() + std::chrono::seconds(seconds); Clock::now() < end;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (waitpid(served.pid, nullptr, WNOHANG) != 0) {
      ledger.Wrong("torqued ended by itself");
      break;
    }
    memory.push_back(ResidentMiB(served.pid));
  }
  ledger.stop = true;
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> missing;
  for (const RemoteMethod& method : methods)
    if (method.name.find("/torqued.v1.") == 0 && ledger.answers.count(method.name) == 0) missing.insert(method.name);
  for (const std::string& name : missing) ledger.Wrong(name + ": never answered");
  kill(served.pid, SIGTERM);
  int status = 0;
  waitpid(served.pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ledger.Wrong("torqued did not end in order");
  const int code = Report(ledger, memory, seconds);
  if (code == 0) std::filesystem::remove_all(served.folder);
  return code;
}

}  // namespace
}  // namespace torqued::testing

int main(int argc, char** argv) {
  using namespace torqued::testing;
  if (argc == 3 && std::string(argv[1]) == "--victim") return Victim(argv[2]);
  int seconds = 600, clients = 6;
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--seconds") seconds = std::atoi(argv[i + 1]);
    if (option == "--clients") clients = std::atoi(argv[i + 1]);
  }
  if (argc < 3 || argc % 2 == 0 || seconds < 1 || clients < 1) {
    std::fprintf(stderr, "usage: soak TORQUED ROBOTS [--seconds 600] [--clients 6]\n");
    return 5;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return Soak("/proc/self/exe", argv[1], argv[2], seconds, clients);
}
