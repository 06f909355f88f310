// torquectl model list: which robots does the server know?
#include "client/cli/verbs/models_shared.h"
#include "client/cli/verbs/verbs.h"
#include "client/torqued/question.h"

namespace torqued::cli {
namespace {

// The first sentence, as far as a line has room.
std::string Brief(const std::string& description) {
  constexpr size_t kRoom = 72;
  const std::string first = description.substr(0, description.find_first_of(".:;\n"));
  if (first.size() <= kRoom) return first;
  return first.substr(0, first.rfind(' ', kRoom)) + " ...";
}

class ModelList : public Verb {
 public:
  VerbText Text() const override {
    return {"model list",
            kModels,
            "list the models",
            {"model list", "model list --label lab=3 --json"},
            ""};
  }

  void Declare(OptionSet& options) override {
    options.Repeated("--label", labels_, "KEY=VALUE", "only models with this label");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    v1::ListModelsRequest request;
    request.set_page_size(1000);
    for (const std::string& label : labels_) {
      const auto equals = label.find('=');
      if (equals == std::string::npos)
        return absl::InvalidArgumentError("--label: '" + label + "', want KEY=VALUE");
      (*request.mutable_labels())[label.substr(0, equals)] = label.substr(equals + 1);
    }
    v1::ListModelsResponse all;
    do {
      auto page = session.Ask<v1::ListModelsResponse>(request);
      if (!page.ok()) return page.status();
      all.mutable_models()->MergeFrom(page->models());
      request.set_page_token(page->next_page_token());
    } while (!request.page_token().empty());
    Sheet sheet{
        "",
        {"model", "revision", "dof", "dynamics", "inverse kinematics", "findings", "description"},
        {}};
    for (const v1::Model& model : all.models())
      sheet.rows.push_back(
          {ModelId(model.name()), model.revision(), int64_t{model.velocity_count()},
           model.capabilities().dynamics() ? "yes" : "no",
           model.capabilities().inverse_kinematics(), int64_t{model.findings_size()},
           session.for_people() ? Brief(model.description()) : model.description()});
    session.Show(all, {sheet});
    return Exit::kOk;
  }

 private:
  std::vector<std::string> labels_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelList() { return std::make_unique<ModelList>(); }

}  // namespace torqued::cli
