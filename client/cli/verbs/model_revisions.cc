// torquectl model revisions: what has this model been?
#include <google/protobuf/util/time_util.h>

#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class ModelRevisions : public Verb {
 public:
  VerbText Text() const override {
    return {"model revisions",
            kModels,
            "list a model's revisions, newest first",
            {"model revisions ur5e"},
            ""};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "id of the model");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    const auto name = (*who)->ModelName(model_, v1::BASE_UNSPECIFIED);
    if (!name.ok()) return name.status();
    v1::ListModelRevisionsRequest request;
    request.set_name(*name);
    v1::ListModelRevisionsResponse all;
    do {
      auto page = session.Ask<v1::ListModelRevisionsResponse>(request);
      if (!page.ok()) return page.status();
      all.mutable_revisions()->MergeFrom(page->revisions());
      request.set_page_token(page->next_page_token());
    } while (!request.page_token().empty());
    Sheet sheet{"", {"revision", "current", "created"}, {}};
    for (const auto& revision : all.revisions())
      sheet.rows.push_back({revision.revision(), revision.current() ? "yes" : "",
                            google::protobuf::util::TimeUtil::ToString(revision.create_time())});
    session.Show(all, {sheet});
    return Exit::kOk;
  }

 private:
  std::string model_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelRevisions() { return std::make_unique<ModelRevisions>(); }

}  // namespace torqued::cli
