// Writes emitted code with a block of inputs and the interpreter's answers, for read_code.py, which executes the code by
// reading its disassembly: so AVX-512 code is checked on machines without it.
//
// usage: write_code avx2|avx512 FOLDER
// FOLDER/<k>.bin: the code; FOLDER/<k>.txt: lanes, slots of the block, first output slot, then the inputs
// (slot by slot, lane by lane), then the outputs that are right.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <random>
#include <string>

#include "server/compile/emit.h"
#include "server/compile/interpret.h"
#include "server/compile/record.h"
#include "server/core/tree/prepare.h"
#include "tests/oracle/random_tree.h"

using namespace torqued;
using namespace torqued::compile;

namespace {

void Write(const std::string& stem, const Program& p, Target target, std::mt19937_64& random) {
  const int output_slot = p.input_count + 64, spill_slot = output_slot + static_cast<int>(p.outputs.size());
  const Emitted e = Emit(p, target, output_slot, spill_slot);
  if (!e.ok) std::exit(1);
  std::ofstream(stem + ".bin", std::ios::binary).write(reinterpret_cast<const char*>(e.code.data()), static_cast<std::streamsize>(e.code.size()));
  const int lanes = LanesOf(target);
  std::vector<std::vector<double>> in(lanes, std::vector<double>(output_slot));
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& lane : in)
    for (double& x : lane) x = uniform(random);
  std::ofstream text(stem + ".txt");
  text << std::setprecision(17) << lanes << ' ' << spill_slot + e.spill_slots << ' ' << output_slot << '\n';
  for (int slot = 0; slot < output_slot; ++slot)
    for (int l = 0; l < lanes; ++l) text << in[l][slot] << '\n';
  std::vector<std::vector<double>> out(lanes, std::vector<double>(p.outputs.size()));
  for (int l = 0; l < lanes; ++l) Interpret(p, in[l].data(), out[l].data());
  for (size_t k = 0; k < p.outputs.size(); ++k)
    for (int l = 0; l < lanes; ++l) text << out[l][k] << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 5;
  const Target target = std::strcmp(argv[1], "avx512") == 0 ? Target::kAvx512 : Target::kAvx2;
  int k = 0;
  for (unsigned seed : {2u, 3u, 8u}) {
    const Prepared m = Prepare(oracle::RandomTree(seed, {.max_joints = 6, .rotors = true, .springs = true}));
    std::mt19937_64 random(seed);
    for (Method method : {Method::kInverseDynamics, Method::kForwardDynamics, Method::kEquationOfMotion}) {
      const MadeProgram made = Record(m, Conditions(m), method);
      if (!made.ok) return 1;
      Write(std::string(argv[2]) + "/" + std::to_string(k++), made.program.body, target, random);
    }
  }
  // Signs and absolute values, which no robot's program holds.
  Graph g(1000);
  std::vector<int> outputs;
  for (int i = 0; i < 40; ++i) {
    const int x = g.Input(i), y = g.Input(i + 1);
    outputs.push_back(g.Make(Op::kSign, x));
    outputs.push_back(g.Make(Op::kAbs, g.Make(Op::kSubtract, x, y)));
  }
  std::mt19937_64 random(1);
  Write(std::string(argv[2]) + "/" + std::to_string(k++), MakeProgram(g, outputs, 41).program.body, target, random);
  std::printf("%d programs\n", k);
  return 0;
}
