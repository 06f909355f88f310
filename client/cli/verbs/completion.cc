// torquectl completion: the shell script that completes verbs, options and models.
#include <map>

#include "client/cli/app.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

class Completion : public Verb {
 public:
  VerbText Text() const override {
    return {"completion",
            kServer,
            "print the completion script of a shell",
            {"completion bash > ~/.local/share/bash-completion/completions/torquectl",
             "completion zsh > ~/.zfunc/_torquectl"},
            "Models are completed by asking the server of TORQUED_SERVER."};
  }

  void Declare(OptionSet& options) override { options.Argument("SHELL", shell_, "bash or zsh"); }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (shell_ != "bash" && shell_ != "zsh")
      return absl::InvalidArgumentError("SHELL: '" + shell_ + "', want bash or zsh");
    std::map<std::string, std::vector<std::string>> second;  // words after a first one
    std::vector<std::string> first;
    std::string cases, model_verbs;
    for (const auto& verb : AllVerbs()) {
      const VerbText text = verb->Text();
      const auto space = text.name.find(' ');
      const std::string head = text.name.substr(0, space);
      if (space != std::string::npos) second[head].push_back(text.name.substr(space + 1));
      if (first.empty() || first.back() != head) first.push_back(head);
      cases += "    \"" + text.name + "\") flags=\"" + Join(FlagsOf(*verb)) + "\" ;;\n";
      if (text.name == "model show" || text.name == "model rm" || text.name == "model update" ||
          text.name == "model export" || text.name == "model revisions" ||
          text.group == kKinematics || text.group == kStatics || text.group == kDynamics ||
          text.name == "bench")
        model_verbs += (model_verbs.empty() ? "" : "|") + ("\"" + text.name + "\"");
    }
    if (shell_ == "zsh")
      session.out() << "#compdef torquectl\nautoload -U +X bashcompinit && bashcompinit\n";
    session.out() << "_torquectl() {\n"
                     "  local word=\"${COMP_WORDS[COMP_CWORD]}\" "
                     "previous=\"${COMP_WORDS[COMP_CWORD-1]}\" verb=\"\" flags=\"\" i\n"
                     "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
                     "    case \"${COMP_WORDS[i]}\" in\n"
                     "      -*) ;;\n"
                     "      *) if [ -z \"$verb\" ]; then verb=\"${COMP_WORDS[i]}\"\n";
    session.out() << "         else case \"$verb\" in ";
    for (const auto& [head, tails] : second)
      session.out() << head << ") verb=\"$verb ${COMP_WORDS[i]}\" ;; ";
    session.out()
        << "esac; break; fi ;;\n"
           "    esac\n"
           "  done\n"
           "  local words=\"\"\n"
           "  case \"$previous\" in\n"
           "    "
           "--states|--out|--log|--poses|--torques|--token-file|--tls-ca|--tls-cert|--tls-key)\n"
           "      COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
           "    --robots) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n"
           "  esac\n"
           "  case \"$verb\" in\n"
           "    \"\") words=\""
        << Join(first) << "\" ;;\n";
    for (const auto& [head, tails] : second)
      session.out() << "    \"" << head << "\") words=\"" << Join(tails) << "\" ;;\n";
    session.out()
        << "    " << model_verbs
        << ") words=\"$(torquectl model list --csv 2>/dev/null | tail -n +2 | cut -d, -f1)\" ;;\n"
        << "    completion) words=\"bash zsh\" ;;\n"
           "  esac\n"
           "  case \"$verb\" in\n"
        << cases
        << "  esac\n"
           "  case \"$word\" in\n"
           "    -*) COMPREPLY=($(compgen -W \"$flags "
        << Join(SharedFlags())
        << "\" -- \"$word\")) ;;\n"
           "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "       [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
           "  esac\n"
           "}\n"
           "complete -F _torquectl torquectl\n";
    return Exit::kOk;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> MakeCompletion() { return std::make_unique<Completion>(); }

}  // namespace torqued::cli
