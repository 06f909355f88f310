// torquectl card list: which drivers are there, which cards run on this machine?
#include "client/card/watch.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class CardList : public Verb {
 public:
  VerbText Text() const override {
    return {"card list",
            kCard,
            "cards that run on this machine",
            {"card list", "card list --json"},
            "Drivers: sim simulates a robot, in torquectl itself or as a card of its own (card serve, torqued-simcard); linuxcnc is started\n"
            "by client/card/drivers/linuxcnc/start."};
  }

  void Declare(OptionSet&) override {}

  absl::StatusOr<Exit> Run(Session& session) override {
    Sheet sheet{"", {"name", "driver", "state", "axes", "cycle[ms]", "bridge", "real time", "cause"}, {}};
    for (const std::string& name : ListCards()) {
      const auto card = CardWatch::Open(name);
      if (!card.ok()) continue;  // ended meanwhile
      const auto config = (*card)->Config();
      Feedback newest;
      const bool there = (*card)->Newest(&newest);
      sheet.rows.push_back({name, (*card)->Driver(), Name((*card)->State()), config.ok() ? int64_t{config->axis_count()} : int64_t{0},
                            config.ok() ? 1e3 * config->cycle_s : 0.0, (*card)->BridgeAttached() ? "attached" : "none",
                            (*card)->RealTime() ? "yes" : "no",
                            there && !newest.cause.ok() ? (config.ok() ? CardCause(newest.cause, *config) : ToString(newest.cause)) : "-"});
    }
    if (session.for_people() && sheet.rows.empty()) {
      session.out() << "no card runs on this machine; drivers: sim (card run ROBOT simulates one here), linuxcnc\n";
      return Exit::kOk;
    }
    ShowRows(session, "cards", sheet);
    return Exit::kOk;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeCardList() { return std::make_unique<CardList>(); }

}  // namespace torqued::cli
