// torquectl model export: the source of a model, as it was registered.
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class ModelExport : public Verb {
 public:
  VerbText Text() const override {
    return {"model export",
            kModels,
            "print a model's source",
            {"model export ur5e > ur5e.yaml", "model export my-arm@0123456789ab --out old.urdf"},
            ""};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "model: id, id@revision");
    options.Text("--out", out_, "FILE", "write to FILE instead of standard output");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto model = session.GetModel(model_, v1::BASE_UNSPECIFIED, v1::MODEL_VIEW_FULL);
    if (!model.ok()) return model.status();
    if (!out_.empty()) {
      if (absl::Status status = WriteFile(out_, model->source().text()); !status.ok())
        return status;
      return Exit::kOk;
    }
    if (session.shared().json)
      session.Show(model->source(), {});
    else
      session.out() << model->source().text();
    return Exit::kOk;
  }

 private:
  std::string model_, out_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelExport() { return std::make_unique<ModelExport>(); }

}  // namespace torqued::cli
