// torquectl forces: what does each joint carry? Six reaction components, link by link.
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/statics.pb.h"

namespace torqued::cli {
namespace {

class Forces : public Verb {
 public:
  VerbText Text() const override {
    return {"forces",
            kStatics,
            "reaction force and moment at every joint, link by link",
            {"forces ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5",
             "forces two-link --q 30,-60 --deg --wrench-by-robot 10,0,0",
             "forces ur5e --states trajectory.csv --csv"},
            "Exerted by the parent link on the child link, about the joint's origin, in the child "
            "link's axes. With --v and --a: in motion."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, true, false);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeLinkForcesRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    const auto answer = session.Ask<v1::ComputeLinkForcesResponse>(request);
    if (!answer.ok()) return answer.status();
    Sheet sheet{Headline("joint reactions", answer->info()), {}, {}};
    const bool many = answer->info().sample_count() > 1;
    if (many) sheet.columns.push_back("state");
    for (const char* name : {"joint", "fx[N]", "fy[N]", "fz[N]", "mx[Nm]", "my[Nm]", "mz[Nm]"})
      sheet.columns.push_back(name);
    for (int s = 0; s < answer->info().sample_count(); ++s)
      for (int j = 0; j < answer->joints_size(); ++j) {
        std::vector<Cell> row;
        if (many) row.push_back(int64_t{s + 1});
        row.push_back(answer->joints(j));
        for (int i = 0; i < 6; ++i)
          row.push_back(answer->forces((s * answer->joints_size() + j) * 6 + i));
        sheet.rows.push_back(std::move(row));
      }
    session.Show(*answer, {sheet});
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
};

}  // namespace

std::unique_ptr<Verb> MakeForces() { return std::make_unique<Forces>(); }

}  // namespace torqued::cli
