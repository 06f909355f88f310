// The makers of the planning verbs, and their heading in --help.
#pragma once

#include <memory>

#include "client/cli/verb.h"

namespace torqued::cli {

inline constexpr char kPlanning[] = "Planning";

std::unique_ptr<Verb> MakePlanPtp();
std::unique_ptr<Verb> MakePlanLine();
std::unique_ptr<Verb> MakePlanArc();
std::unique_ptr<Verb> MakePlanGate();
std::unique_ptr<Verb> MakePlanPath();

std::unique_ptr<Verb> MakeTrajTime();
std::unique_ptr<Verb> MakeTrajCheck();
std::unique_ptr<Verb> MakeTrajExplain();
std::unique_ptr<Verb> MakeTrajSample();
std::unique_ptr<Verb> MakeTrajConvert();
std::unique_ptr<Verb> MakeTrajPlot();
std::unique_ptr<Verb> MakeSize();

}  // namespace torqued::cli
