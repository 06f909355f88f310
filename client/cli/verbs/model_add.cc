// torquectl model add: register a robot.
#include "client/cli/verbs/models_shared.h"
#include "client/cli/verbs/verbs.h"
#include "client/torqued/methods.h"

namespace torqued::cli {
namespace {

class ModelAdd : public Verb {
 public:
  VerbText Text() const override {
    return {"model add",
            kModels,
            "register a robot file",
            {"model add my.urdf", "model add my.urdf --id my-arm --label lab=3",
             "model add spot.urdf --base floating --policy repair"},
            "The same file under the same id is no error. To change a model: model update."};
  }

  void Declare(OptionSet& options) override {
    source_.Declare(options);
    options.Text("--id", id_, "ID",
                 "name of the model: a-z 0-9 . _ -; default: from the robot's name");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    auto source = source_.Source();
    if (!source.ok()) return source.status();
    v1::CreateModelRequest request;
    *request.mutable_source() = *std::move(source);
    request.set_model_id(id_);
    request.set_request_id(NewRequestId());
    if (absl::Status status = source_.AddLabels(*request.mutable_labels()); !status.ok())
      return status;
    const auto answer = session.Ask<v1::CreateModelResponse>(request);
    if (!answer.ok()) return answer.status();
    if (session.for_people()) session.out() << "registered " << Describe(answer->model()) << "\n";
    if (answer->model().findings_size() > 0 || !session.for_people())
      session.Show(*answer, {FindingSheet(answer->model())});
    return Exit::kOk;
  }

 private:
  SourceOptions source_;
  std::string id_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelAdd() { return std::make_unique<ModelAdd>(); }

}  // namespace torqued::cli
