#include "client/cli/app.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <locale>
#include <map>

#include "server/robots/text.h"

namespace torqued::cli {
namespace {

constexpr char kShared[] = "Shared options (before or after the verb)";
constexpr char kExitCodes[] =
    "Exit codes: 0 ok, 1 unexpected, 2 a check or limit failed, 3 infeasible, 4 server unreachable "
    "or refusing, 5 bad input or usage.";

void DeclareShared(OptionSet& options, SharedOptions& shared) {
  options.Group(kShared);
  options.Text("--server", shared.server, "HOST:PORT",
               "server, or unix:PATH; default: $TORQUED_SERVER, else 127.0.0.1:50051");
  options.Flag("--json", shared.json,
               "print the answer message as JSON, with the proto's field names");
  options.Flag("--csv", shared.csv, "print the answer as CSV");
  options.Text("--timeout", shared.timeout, "5s", "give up after this long");
  options.Flag("--wait", shared.wait,
               "wait for the server (until the timeout) instead of failing at once");
  options.Flag("--local", shared.local, "no server: compute in this process");
  options.Text("--robots", shared.robots, "DIR",
               "with --local: folder of robots; default: $TORQUED_ROBOTS, else the shipped ones");
  options.Text("--token-file", shared.token_file, "FILE", "bearer token; default: $TORQUED_TOKEN");
  options.Flag("--tls", shared.tls, "use TLS with the system's certificates");
  options.Text("--tls-ca", shared.tls_ca, "FILE",
               "use TLS; certificates (PEM) that the server's must descend from");
  options.Text("--tls-cert", shared.tls_cert, "FILE", "own certificate (PEM), with --tls-key");
  options.Text("--tls-key", shared.tls_key, "FILE", "own private key (PEM)");
}

std::string Footer(const VerbText& text) {
  std::string footer = text.details.empty() ? "" : text.details + "\n\n";
  if (!text.examples.empty()) footer += "Examples:\n";
  for (const std::string& example : text.examples) footer += "  torquectl " + example + "\n";
  return footer +
         "\nShared options, before or after the verb: --server --json --csv --timeout --wait "
         "--local ... (torquectl --help)";
}

bool LooksLikeNumber(const std::string& text) {
  return text.size() > 1 && text[0] == '-' &&
         (std::isdigit(static_cast<unsigned char>(text[1])) != 0 || text[1] == '.');
}

// "--q -0.3,1" becomes "--q=-0.3,1": a value that begins with a minus is never taken for an option.
std::vector<std::string> JoinNegativeValues(const std::vector<std::string>& arguments) {
  std::vector<std::string> joined;
  for (const std::string& argument : arguments) {
    const bool after_flag = !joined.empty() && joined.back().rfind("--", 0) == 0 &&
                            joined.back().size() > 2 &&
                            joined.back().find('=') == std::string::npos;
    if (after_flag && LooksLikeNumber(argument))
      joined.back() += "=" + argument;
    else
      joined.push_back(argument);
  }
  return joined;
}

std::string Nearest(const std::string& given, const std::vector<CLI::App*>& verbs) {
  std::string best;
  size_t least = std::max<size_t>(2, given.size() / 3) + 1;
  for (const CLI::App* verb : verbs) {
    const size_t distance = robots::EditDistance(given, verb->get_name());
    if (distance < least) least = distance, best = verb->get_name();
  }
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

// The parser's error in our words.
std::string Explain(const CLI::ParseError& error, const CLI::App& root, const CLI::App& at) {
  const auto extras = root.remaining(true);  // what a verb does not know falls through to the root
  const bool no_verb = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                       std::string(error.what()).find("subcommand") != std::string::npos;
  if ((no_verb || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) && !extras.empty()) {
    const bool wants_verb = !at.get_subcommands([](const CLI::App*) { return true; }).empty();
    const std::string& first = extras.front();
    if (wants_verb && first[0] != '-')
      return "unknown verb '" + first + "'" +
             Nearest(first, const_cast<CLI::App&>(at).get_subcommands(
                                [](const CLI::App*) { return true; }));
    return (first[0] == '-' ? "unknown option " : "unexpected argument ") + first + "; see --help";
  }
  if (no_verb) return "want a verb; see --help";
  return error.what();
}

// The parser of all verbs. Apps hold pointers into `verbs` and `shared`.
struct Parser {
  CLI::App root{"Asks a torqued server about statics and dynamics of robots.", "torquectl"};
  SharedOptions shared;
  std::vector<std::unique_ptr<Verb>> verbs = AllVerbs();
  std::map<const CLI::App*, Verb*> by_app;

  Parser() {
    root.require_subcommand(1);
    root.footer(std::string("torquectl VERB --help shows a verb's options and examples.\n") +
                kExitCodes);
    root.set_version_flag("--version", TORQUED_VERSION);
    OptionSet options(root);
    DeclareShared(options, shared);
    std::map<std::string, CLI::App*> parents;
    for (const auto& verb : verbs) {
      const VerbText text = verb->Text();
      CLI::App* parent = &root;
      size_t word = 0;
      for (auto space = text.name.find(' '); space != std::string::npos;
           word = space + 1, space = text.name.find(' ', word)) {
        CLI::App*& group = parents[text.name.substr(0, space)];
        if (group == nullptr) {
          group = parent->add_subcommand(text.name.substr(word, space - word), text.group);
          group->group(text.group)->require_subcommand(1)->fallthrough();
        }
        parent = group;
      }
      CLI::App* app = parent->add_subcommand(text.name.substr(word), text.summary);
      app->group(text.group)->fallthrough();
      app->footer(Footer(text));
      OptionSet own(*app);
      verb->Declare(own);
      by_app[app] = verb.get();
    }
  }

  const CLI::App& Chosen() const {
    const CLI::App* at = &root;
    for (auto next = at->get_subcommands(); !next.empty(); next = at->get_subcommands())
      at = next.front();
    return *at;
  }
};

std::string WhereText(const CLI::App& at) {
  std::string where = at.get_name();
  for (const CLI::App* parent = at.get_parent(); parent != nullptr; parent = parent->get_parent())
    where = parent->get_name() + " " + where;
  return where;
}

std::vector<std::string> Flags(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

}  // namespace

std::vector<std::string> FlagsOf(Verb& verb) {
  CLI::App app;
  OptionSet options(app);
  verb.Declare(options);
  return Flags(app);
}

std::vector<std::string> SharedFlags() {
  CLI::App app;
  SharedOptions shared;
  OptionSet options(app);
  DeclareShared(options, shared);
  return Flags(app);
}

int RunApp(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Parser parser;
  std::vector<std::string> reversed = JoinNegativeValues(arguments);
  std::reverse(reversed.begin(), reversed.end());
  try {
    parser.root.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    out << parser.root.help();
    return 0;
  } catch (const CLI::CallForVersion&) {
    out << "torquectl " << TORQUED_VERSION << "\n";
    return 0;
  } catch (const CLI::ParseError& error) {
    const CLI::App& at = parser.Chosen();
    err << WhereText(at) << ": " << Explain(error, parser.root, at) << "\n";
    return static_cast<int>(Exit::kBadInput);
  }
  const CLI::App& chosen = parser.Chosen();
  if (parser.shared.json && parser.shared.csv) {
    err << "torquectl: --json and --csv: want one of them\n";
    return static_cast<int>(Exit::kBadInput);
  }
  out.imbue(std::locale::classic());
  err.imbue(std::locale::classic());
  Session session(parser.shared, out, err);
  auto exit = parser.by_app.at(&chosen)->Run(session);
  if (exit.ok() && !session.written().ok()) exit = session.written();
  out.flush();
  if (exit.ok()) return static_cast<int>(*exit);
  err << WhereText(chosen) << ": " << exit.status().message() << "\n";
  return static_cast<int>(ExitOf(exit.status()));
}

}  // namespace torqued::cli
