// torqued-simcard: a simulated motion card in a process of its own, for bridges that attach by name.
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "client/card/sim_card.h"

namespace {

std::atomic<bool> quit{false};

int Usage() {
  std::cerr << "usage: torqued-simcard --name NAME --config card.yaml [--real-time] [--idle SECONDS] [--with-parent]\n"
               "Runs the card of card.yaml, whose sim.plant describes independent axes, until SIGINT or SIGTERM; with --idle until\n"
               "no bridge has been attached for so long, with --with-parent until the process ends that started it.\n"
               "Example: torqued-simcard --name bench --config card.yaml\n";
  return 5;
}

// A number above 0 and nothing else.
bool Seconds(const char* text, double* out) {
  const char* end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, *out);
  return error == std::errc() && stopped == end && *out > 0 && std::isfinite(*out);
}

}  // namespace

int main(int argc, char** argv) {
  torqued::SimProcessOptions options;
  std::string config_path;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--name" && i + 1 < argc)
      options.name = argv[++i];
    else if (arg == "--config" && i + 1 < argc)
      config_path = argv[++i];
    else if (arg == "--real-time")
      options.real_time = true;
    else if (arg == "--with-parent")
      options.with_parent = true;
    else if (arg == "--idle" && i + 1 < argc && Seconds(argv[i + 1], &options.idle_s))
      ++i;
    else
      return Usage();
  }
  if (options.name.empty() || config_path.empty()) return Usage();
  std::ifstream file(config_path);
  if (!file) {
    std::cerr << "torqued-simcard: cannot read " << config_path << "\n";
    return 5;
  }
  std::stringstream text;
  text << file.rdbuf();
  const auto config = torqued::ReadCardConfig(text.str(), nullptr);
  if (!config.ok()) {
    std::cerr << "torqued-simcard: " << config.status().message() << "\n";
    return 5;
  }
  if (config->sim.plant.empty()) {
    std::cerr << "torqued-simcard: " << config_path << ": sim.plant is absent, want one entry per axis\n";
    return 5;
  }
  std::signal(SIGINT, [](int) { quit = true; });
  std::signal(SIGTERM, [](int) { quit = true; });
  const absl::Status status = torqued::RunSimProcess(torqued::IndependentAxes(*config), *config, {}, options, &quit);
  if (!status.ok()) {
    std::cerr << "torqued-simcard: " << status.message() << "\n";
    return 1;
  }
  return 0;
}
