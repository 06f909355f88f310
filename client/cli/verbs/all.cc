#include "client/cli/verbs/planning_verbs.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {

std::vector<std::unique_ptr<Verb>> AllVerbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  for (auto* make :
       {MakeModelList,   MakeModelShow, MakeModelCheck,  MakeModelAdd,
        MakeModelUpdate, MakeModelRm,   MakeModelExport, MakeModelRevisions,
        MakeModelWatch,  MakeExport,  // models
        MakeFk,          MakeJacobian,  MakeVelocity,    MakeSingular,
        MakeIk,          MakeLinks,                                    // kinematics
        MakeStatic,      MakeWrench,    MakeForces,      MakeSupport,  // statics
        MakeId,          MakeFd,        MakeEom,         MakeTerms,
        MakeOpspace,     MakeEnergy,    MakeDerivatives, MakeRegressor,
        MakeIdentify,    MakeSimulate,  MakeSweep,       MakeCompare,      // dynamics
        MakeCardList,    MakeCardCheck, MakeCardServe,   MakeCardRun,
        MakeCardReport,  MakeCardJog,   MakeCardHome,    MakeCardEnable,
        MakeCardStop,    MakeCardReset, MakeCardWatch,  // motion card
        MakePlanPtp,     MakePlanLine,  MakePlanArc,     MakePlanGate,
        MakePlanPath,    MakeTrajTime,  MakeTrajCheck,   MakeTrajExplain,
        MakeTrajSample,  MakeTrajConvert, MakeTrajPlot,  MakeSize,         // planning
        MakeAuthTokenCreate,      MakeAuthTokenList, MakeAuthTokenRevoke,
        MakeAuthCertificateGrant, MakeAuthCertificateRevoke,
        MakeHealth,      MakeTop,       MakeBench,       MakeCompletion})  // server and shell
    verbs.push_back(make());
  return verbs;
}

}  // namespace torqued::cli
