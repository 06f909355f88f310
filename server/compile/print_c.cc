#include "server/compile/print_c.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace torqued::compile {
namespace {

// Shortest text that reads back as the same double; always with a point or an exponent, whatever the locale.
std::string Literal(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  std::string out(text, end);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return value < 0 || std::signbit(value) ? "(" + out + ")" : out;
}

std::string Expression(const Node& n, const std::string& a, const std::string& b, const std::string& c) {
  switch (n.op) {
    case Op::kAdd: return absl::StrCat(a, " + ", b);
    case Op::kSubtract: return absl::StrCat(a, " - ", b);
    case Op::kMultiply: return absl::StrCat(a, " * ", b);
    case Op::kDivide: return absl::StrCat(a, " / ", b);
    case Op::kNegate: return absl::StrCat("-", a);
    case Op::kSqrt: return absl::StrCat("sqrt(", a, ")");
    case Op::kSin: return absl::StrCat("sin(", a, ")");
    case Op::kCos: return absl::StrCat("cos(", a, ")");
    case Op::kExp: return absl::StrCat("exp(", a, ")");
    case Op::kTanh: return absl::StrCat("tanh(", a, ")");
    case Op::kAbs: return absl::StrCat("fabs(", a, ")");
    case Op::kSign: return absl::StrCat("(double)((", a, " > 0) - (", a, " < 0))");
    case Op::kSelectPositive: return absl::StrCat(a, " > 0 ? ", b, " : ", c);
    case Op::kMultiplyAdd: return absl::StrCat(a, " * ", b, " + ", c);
    case Op::kMultiplySubtract: return absl::StrCat(a, " * ", b, " - ", c);
    case Op::kNegMultiplyAdd: return absl::StrCat(c, " - ", a, " * ", b);
    case Op::kNegMultiplySubtract: return absl::StrCat("-(", a, " * ", b, ") - ", c);
    case Op::kConstant:
    case Op::kInput: break;
  }
  return "";
}

// Statements of one program; names of its values are prefix0, prefix1, ...; returns the name of each output.
std::vector<std::string> PrintBody(const Program& p, const std::string& prefix, int input_count, std::string& out) {
  std::vector<std::string> name(p.nodes.size());
  int fresh = 0;
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    if (n.op == Op::kConstant) {
      name[i] = Literal(n.value);
    } else if (n.op == Op::kInput) {
      const int k = n.a - input_count;
      name[i] = k < 0 ? absl::StrCat("in[", n.a, "]") : absl::StrCat(k % 2 == 0 ? "s" : "c", k / 2);
    } else {
      const auto operand = [&](int k) { return OperandCount(n.op) > k ? name[n.operand(k)] : std::string(); };
      name[i] = absl::StrCat(prefix, fresh++);
      absl::StrAppend(&out, "  const double ", name[i], " = ", Expression(n, operand(0), operand(1), operand(2)), ";\n");
    }
  }
  std::vector<std::string> outputs;
  for (int o : p.outputs) outputs.push_back(name[o]);
  return outputs;
}

// Which sines (2 k) and cosines (2 k + 1) the program reads.
std::vector<char> TrigRead(const Program& p, int input_count, size_t angles) {
  std::vector<char> read(2 * angles, 0);
  const auto mark = [&](int node) {
    if (p.nodes[node].op == Op::kInput && p.nodes[node].a >= input_count) read[p.nodes[node].a - input_count] = 1;
  };
  for (const Node& n : p.nodes)
    for (int k = 0; k < OperandCount(n.op); ++k) mark(n.operand(k));
  for (const int o : p.outputs) mark(o);
  return read;
}

}  // namespace

std::string PrintC(const TrigProgram& program, const CFunction& function) {
  const int inputs = program.body.input_count;
  std::string out = "#include <math.h>\n\n";
  for (const auto& line : absl::StrSplit(function.comment, '\n'))
    if (!line.empty()) absl::StrAppend(&out, "// ", line, "\n");
  std::string body;
  const std::vector<std::string> angles = PrintBody(program.angles, "a", inputs, body);
  const std::vector<char> read = TrigRead(program.body, inputs, angles.size());
  for (size_t k = 0; k < angles.size(); ++k) {
    if (read[2 * k]) absl::StrAppend(&body, "  const double s", k, " = sin(", angles[k], ");\n");
    if (read[2 * k + 1]) absl::StrAppend(&body, "  const double c", k, " = cos(", angles[k], ");\n");
  }
  const std::vector<std::string> outputs = PrintBody(program.body, "t", inputs, body);
  for (size_t k = 0; k < outputs.size(); ++k) absl::StrAppend(&body, "  out[", k, "] = ", outputs[k], ";\n");
  if (body.find("in[") == std::string::npos) body = "  (void)in;\n" + body;
  absl::StrAppend(&out, "void ", function.name, "(const double in[", inputs, "], double out[",
                  program.body.outputs.size(), "]) {\n", body, "}\n");
  return out;
}

}  // namespace torqued::compile
