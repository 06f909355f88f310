// torquectl model rm: forget a robot.
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class ModelRm : public Verb {
 public:
  VerbText Text() const override {
    return {"model rm", kModels, "remove models and their revisions", {"model rm my-arm"}, ""};
  }

  void Declare(OptionSet& options) override {
    options.Arguments("MODEL", models_, "ids of the models");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    for (const std::string& model : models_) {
      const auto name = (*who)->ModelName(model, v1::BASE_UNSPECIFIED);
      if (!name.ok()) return name.status();
      v1::DeleteModelRequest request;
      request.set_name(*name);
      const auto answer = session.Ask<v1::DeleteModelResponse>(request);
      if (!answer.ok()) return answer.status();
      if (session.for_people()) session.out() << "removed " << model << "\n";
    }
    return Exit::kOk;
  }

 private:
  std::vector<std::string> models_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelRm() { return std::make_unique<ModelRm>(); }

}  // namespace torqued::cli
