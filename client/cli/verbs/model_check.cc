// torquectl model check: what is wrong with this robot file? Nothing is registered.
#include "client/cli/verbs/models_shared.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class ModelCheck : public Verb {
 public:
  VerbText Text() const override {
    return {"model check",
            kModels,
            "audit a robot file without registering it",
            {"model check my.urdf", "model check my.urdf --policy strict",
             "--local model check my.yaml --json"},
            "Exit code 2 if there are errors among the findings, 5 if the file is no robot."};
  }

  void Declare(OptionSet& options) override { source_.Declare(options); }

  absl::StatusOr<Exit> Run(Session& session) override {
    auto source = source_.Source();
    if (!source.ok()) return source.status();
    v1::CreateModelRequest request;
    *request.mutable_source() = *std::move(source);
    request.set_model_id("check");  // so that a robot's name that makes no id does not matter
    request.set_validate_only(true);
    const auto answer = session.Ask<v1::CreateModelResponse>(request);
    if (!answer.ok()) return answer.status();
    const v1::Model& model = answer->model();
    const auto count = [](int n, const std::string& what) {
      return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    if (session.for_people())
      session.out() << source_.file() << ": " << count(model.velocity_count(), "degree")
                    << " of freedom, "
                    << (model.findings_size() == 0 ? "nothing found"
                                                   : count(model.findings_size(), "finding"))
                    << "\n";
    if (model.findings_size() > 0 || !session.for_people())
      session.Show(*answer, {FindingSheet(model)});
    return HasErrors(model) ? Exit::kCheckFailed : Exit::kOk;
  }

 private:
  SourceOptions source_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelCheck() { return std::make_unique<ModelCheck>(); }

}  // namespace torqued::cli
