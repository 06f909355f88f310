// torquectl sweep and export, in process and against a server.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace torqued {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string Folder() {
  const std::string path = ::testing::TempDir() + "torqued_sweep_" + std::to_string(::getpid());
  std::filesystem::create_directories(path);
  return path;
}

// Small enough a sample for a test; the answers in process and from a server are the same bytes.
TEST(CliSweep, AServerAndThisProcessSayTheSame) {
  const TestServer server;
  const auto command =
      SplitCommand("sweep scara --box limits --speed 1 --samples 20000 --seed 4 --json");
  const Finished remote = server.Ask(command);
  auto local_command = command;
  local_command.insert(local_command.begin(), "--local");
  const Finished local = Torquectl(local_command);
  ASSERT_EQ(remote.exit, local.exit) << remote.err << local.err;
  json a = json::parse(remote.out), b = json::parse(local.out);
  for (json* one : {&a, &b}) one->erase("seconds"), one->erase("kernel");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a["cases"][0]["columns"].size(), 4u);
}

// A pendulum of 1 kg at 0.5 m with 10 Nm: 0.5 g + M g = 10, so the motor is too small from
// M = 0.519 kg at 1 m.
TEST(CliSweep, TheMotorThatIsTooSmallIsNamedWithItsPayload) {
  const std::string folder = Folder(), robot = folder + "/swing.urdf", plot = folder + "/plot.svg";
  std::ofstream(robot) << R"(<robot name="swing"><link name="base"/>
    <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
    <joint name="swing" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 -1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="5"/></joint></robot>)";
  const Finished run = Torquectl(SplitCommand(
      "--local sweep " + robot + " --box limits --samples 1000 --payload-range 0:1:0.25 " +
      "--payload-at 1,0,0 --plot " + plot));
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_THAT(run.out, HasSubstr("too small: swing from 0.52 kg on; with 1.00 kg 14.7 of 10.0 at q = 0.000"));
  std::stringstream svg;
  svg << std::ifstream(plot).rdbuf();
  EXPECT_THAT(svg.str(), HasSubstr("<polygon"));
  EXPECT_THAT(svg.str(), HasSubstr("stroke-dasharray"));
  const Finished csv = Torquectl(SplitCommand(
      "--local --csv sweep " + robot + " --box limits --samples 1000 --payload-range 0:1:0.25 " +
      "--payload-at 1,0,0"));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 6);
  const double from = std::stod(csv.out.substr(csv.out.rfind(',') + 1));
  EXPECT_NEAR(from, (10 - 0.5 * 9.81) / 9.81, 1e-12);
  const Finished light = Torquectl(SplitCommand(
      "--local sweep " + robot + " --box limits --samples 1000 --payload-range 0:0.5:0.25 " +
      "--payload-at 1,0,0"));
  EXPECT_EQ(light.exit, 0) << light.out;
  EXPECT_THAT(light.out, HasSubstr("every motor suffices up to 0.50 kg"));
  std::filesystem::remove_all(folder);
}

TEST(CliSweep, WhatIsMissingIsSaid) {
  const Finished none = Torquectl(SplitCommand("--local sweep scara"));
  EXPECT_EQ(none.exit, 5);
  EXPECT_THAT(none.err, HasSubstr("--box: which states?"));
  const Finished range = Torquectl(SplitCommand("--local sweep scara --box limits --payload-range 5:0:1"));
  EXPECT_EQ(range.exit, 5);
  EXPECT_THAT(range.err, HasSubstr("--payload-range: '5:0:1'"));
}

// The C that is exported, compiled by the C compiler that is there, gives what the command line says.
TEST(CliExport, TheCIsTheRobot) {
  const std::string folder = Folder(), source = folder + "/arm.c", library = folder + "/arm.so";
  const Finished run = Torquectl(SplitCommand("--local export ur5e --c --method id,jacobian --out " + source));
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string command = std::string(TORQUED_C_COMPILER) +
                              " -std=c99 -Wall -Wextra -Werror -O1 -shared -fPIC -o " + library + " " +
                              source + " -lm";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const double in[18] = {0.3, -1.2, 1.4, -0.7, 0.9, 0.5, 0.1, -0.2, 0.3, -0.4, 0.5, -0.6,
                         1,   2,    -1,  -2,   3,   -3};
  const auto call = [&](const char* name, std::vector<double> out) {
    const auto f = reinterpret_cast<void (*)(const double*, double*)>(dlsym(handle, name));
    if (f == nullptr) {
      ADD_FAILURE() << name;
      return out;
    }
    f(in, out.data());
    return out;
  };
  const auto tau = call("ur5e_inverse_dynamics", std::vector<double>(6));
  const auto J = call("ur5e_jacobian", std::vector<double>(36));
  const json id = json::parse(
      Torquectl(SplitCommand("--local id ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5 --v 0.1,-0.2,0.3,-0.4,0.5,-0.6 "
                             "--a 1,2,-1,-2,3,-3 --without friction --json"))
          .out);
  const json jacobian =
      json::parse(Torquectl(SplitCommand("--local jacobian ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5 --json")).out);
  for (size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(tau[k], id["efforts"]["values"][k].get<double>(), 1e-11);
  for (size_t k = 0; k < 36; ++k)
    EXPECT_NEAR(J[k], jacobian["jacobians"]["values"][k].get<double>(), 1e-13);
  dlclose(handle);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(Torquectl(SplitCommand("--local export ur5e")).exit, 5);
  EXPECT_THAT(Torquectl(SplitCommand("--local export ur5e --c --method idd")).err, HasSubstr("--method: 'idd'"));
}

}  // namespace
}  // namespace torqued
