// torquectl model update: make another revision current.
#include "client/cli/verbs/models_shared.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class ModelUpdate : public Verb {
 public:
  VerbText Text() const override {
    return {"model update",
            kModels,
            "replace a model's source by another file",
            {"model update my-arm my.urdf", "model update my-arm my.urdf --etag 7f3a"},
            "Old revisions stay addressable (my-arm@REVISION). With --etag: only if nobody changed "
            "the model since; else exit code 2."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "id of the model");
    source_.Declare(options);
    options.Text("--etag", etag_, "ETAG", "of the model as you know it (model show --json)");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    auto source = source_.Source();
    if (!source.ok()) return source.status();
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    const auto name = (*who)->ModelName(model_, v1::BASE_UNSPECIFIED);
    if (!name.ok()) return name.status();
    v1::UpdateModelRequest request;
    request.set_name(*name);
    request.set_etag(etag_);
    *request.mutable_source() = *std::move(source);
    if (absl::Status status = source_.AddLabels(*request.mutable_labels()); !status.ok())
      return status;
    const auto answer = session.Ask<v1::UpdateModelResponse>(request);
    if (!answer.ok()) return answer.status();
    if (session.for_people()) session.out() << "current is " << Describe(answer->model()) << "\n";
    if (answer->model().findings_size() > 0 || !session.for_people())
      session.Show(*answer, {FindingSheet(answer->model())});
    return Exit::kOk;
  }

 private:
  SourceOptions source_;
  std::string model_, etag_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelUpdate() { return std::make_unique<ModelUpdate>(); }

}  // namespace torqued::cli
