// torquectl export: a robot's equations as C, for a controller that has no room for a server.
#include <absl/strings/str_cat.h>

#include <cctype>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "server/compile/print_c.h"
#include "server/compile/record.h"
#include "server/core/tree/prepare.h"
#include "server/robots/load.h"
#include "server/service/describe.h"

namespace torqued::cli {
namespace {

struct Exported {
  const char* option;
  Method method;
  const char* inputs;
  const char* outputs;
};
constexpr Exported kExported[] = {
    {"id", Method::kInverseDynamics, "q, v, a", "joint efforts tau, without friction"},
    {"gravity", Method::kGravity, "q, v, a (of which q is used)", "gravity torques g"},
    {"mass", Method::kMassMatrix, "q, v, a (of which q is used)",
     "mass matrix M, upper triangle row by row"},
    {"eom", Method::kEquationOfMotion, "q, v, a (of which q and v are used)",
     "M (upper triangle row by row), c = C(q, v) v, g"},
    {"fd", Method::kForwardDynamics, "q, v, tau (less friction)",
     "accelerations, then a number that is 0 where the mass matrix is regular"},
    {"jacobian", Method::kJacobian, "q, v, a (of which q is used)",
     "Jacobian of the tool frame, 6 rows, row-major, linear first, world axes"},
    {"path", Method::kPathDynamics, "q, q', q''", "m, c, g of tau = m sddot + c sdot^2 + g"}};

// A C identifier of a model's id.
std::string Identifier(const std::string& model) {
  std::string out;
  for (const char c : model.substr(model.find('/') + 1)) {
    if (c == '/' || c == '@') break;
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "robot_" + out;
  return out;
}

class Export : public Verb {
 public:
  VerbText Text() const override {
    return {"export",
            kModels,
            "a robot's equations as C99",
            {"export ur5e --c > ur5e.c", "export scara --c --method gravity,mass --out scara.c"},
            "One function per method, void NAME(const double in[], double out[]), without loops, "
            "branches, memory or\nlibraries but <math.h>; SI units, gravity and inertias the "
            "model's own. Friction is not in it."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "model: id, id@revision, in process also a file");
    options.Flag("--c", c_, "the language: C99");
    options.Text("--method", methods_, "id,gravity,mass,eom,fd,jacobian,path",
                 "which equations, default id");
    options.Text("--out", out_, "FILE", "write to FILE instead of standard output");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (!c_) return absl::InvalidArgumentError("export: which language? want --c");
    const auto model = session.GetModel(model_, v1::BASE_UNSPECIFIED, v1::MODEL_VIEW_FULL);
    if (!model.ok()) return model.status();
    const auto options = ReadOptions(model->source());
    if (!options.ok()) return options.status();
    const auto loaded = LoadModel(model->source().text(), *options);
    if (!loaded.ok()) return loaded.status();
    const Prepared prepared = Prepare(loaded->model);
    std::string text = absl::StrCat("/* ", model->name(), ", revision ", model->revision(), ": ",
                                    Names(*model), ". */\n");
    const auto names = SplitTrimmed(methods_, ',');
    if (names.empty()) return absl::InvalidArgumentError("--method: none given");
    for (const std::string& name : names) {
      const Exported* chosen = nullptr;
      for (const Exported& e : kExported)
        if (name == e.option) chosen = &e;
      if (chosen == nullptr)
        return absl::InvalidArgumentError(
            absl::StrCat("--method: '", name, "', want id, gravity, mass, eom, fd, jacobian, path"));
      const auto made = compile::Record(prepared, Conditions(prepared), chosen->method);
      if (!made.ok)
        return absl::FailedPreconditionError(
            absl::StrCat("export: ", MethodName(chosen->method), " of ", model->name(),
                         " is too large to be one straight line"));
      std::string function = absl::StrCat(Identifier(model->name()), "_", MethodName(chosen->method));
      for (char& c : function) c = c == ' ' ? '_' : static_cast<char>(std::tolower(c));
      absl::StrAppend(
          &text, "\n",
          compile::PrintC(made.program,
                          {function, absl::StrCat("in: ", chosen->inputs, ": ", prepared.nq, " + ",
                                                  prepared.nv, " + ", prepared.nv, " numbers\nout: ",
                                                  chosen->outputs)}));
    }
    if (!out_.empty()) {
      if (absl::Status status = WriteFile(out_, text); !status.ok()) return status;
      return Exit::kOk;
    }
    session.out() << text;
    return Exit::kOk;
  }

 private:
  static std::string Names(const v1::Model& model) {
    std::string out = "joints";
    for (const Column& column : Columns(model, Quantity::kPosition))
      absl::StrAppend(&out, " ", column.id);
    return out;
  }

  std::string model_, methods_ = "id", out_;
  bool c_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeExport() { return std::make_unique<Export>(); }

}  // namespace torqued::cli
