// Every verb's maker, and the headings under which --help lists them.
#pragma once

#include <memory>

#include "client/cli/verb.h"

namespace torqued::cli {

inline constexpr char kModels[] = "Models";
inline constexpr char kKinematics[] = "Kinematics";
inline constexpr char kStatics[] = "Statics";
inline constexpr char kDynamics[] = "Dynamics";
inline constexpr char kCard[] = "Motion card";
inline constexpr char kServer[] = "Server and shell";

std::unique_ptr<Verb> MakeModelList();
std::unique_ptr<Verb> MakeModelShow();
std::unique_ptr<Verb> MakeModelCheck();
std::unique_ptr<Verb> MakeModelAdd();
std::unique_ptr<Verb> MakeModelUpdate();
std::unique_ptr<Verb> MakeModelRm();
std::unique_ptr<Verb> MakeModelExport();
std::unique_ptr<Verb> MakeModelRevisions();
std::unique_ptr<Verb> MakeModelWatch();
std::unique_ptr<Verb> MakeExport();

std::unique_ptr<Verb> MakeFk();
std::unique_ptr<Verb> MakeJacobian();
std::unique_ptr<Verb> MakeVelocity();
std::unique_ptr<Verb> MakeSingular();
std::unique_ptr<Verb> MakeIk();
std::unique_ptr<Verb> MakeLinks();

std::unique_ptr<Verb> MakeStatic();
std::unique_ptr<Verb> MakeWrench();
std::unique_ptr<Verb> MakeForces();
std::unique_ptr<Verb> MakeSupport();

std::unique_ptr<Verb> MakeId();
std::unique_ptr<Verb> MakeFd();
std::unique_ptr<Verb> MakeEom();
std::unique_ptr<Verb> MakeTerms();
std::unique_ptr<Verb> MakeOpspace();
std::unique_ptr<Verb> MakeEnergy();
std::unique_ptr<Verb> MakeDerivatives();
std::unique_ptr<Verb> MakeRegressor();
std::unique_ptr<Verb> MakeIdentify();
std::unique_ptr<Verb> MakeSimulate();
std::unique_ptr<Verb> MakeSweep();
std::unique_ptr<Verb> MakeCompare();

std::unique_ptr<Verb> MakeCardList();
std::unique_ptr<Verb> MakeCardCheck();
std::unique_ptr<Verb> MakeCardServe();
std::unique_ptr<Verb> MakeCardRun();
std::unique_ptr<Verb> MakeCardReport();
std::unique_ptr<Verb> MakeCardJog();
std::unique_ptr<Verb> MakeCardHome();
std::unique_ptr<Verb> MakeCardEnable();
std::unique_ptr<Verb> MakeCardStop();
std::unique_ptr<Verb> MakeCardReset();
std::unique_ptr<Verb> MakeCardWatch();

std::unique_ptr<Verb> MakeAuthTokenCreate();
std::unique_ptr<Verb> MakeAuthTokenList();
std::unique_ptr<Verb> MakeAuthTokenRevoke();
std::unique_ptr<Verb> MakeAuthCertificateGrant();
std::unique_ptr<Verb> MakeAuthCertificateRevoke();
std::unique_ptr<Verb> MakeHealth();
std::unique_ptr<Verb> MakeBench();
std::unique_ptr<Verb> MakeTop();
std::unique_ptr<Verb> MakeCompletion();

}  // namespace torqued::cli
