// torqued-simcard: a simulated motion card in a process of its own, for bridges that attach by name.
#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>

#include "client/card/sim_card.h"

namespace {

std::atomic<bool> quit{false};

int Usage() {
  std::cerr << "usage: torqued-simcard --name NAME --config card.yaml [--real-time]\n"
               "Runs the card of card.yaml, whose sim.plant describes independent axes, until SIGINT or SIGTERM.\n"
               "Example: torqued-simcard --name bench --config card.yaml\n";
  return 5;
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
