#include "server/robots/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <istream>
#include <streambuf>

#include "server/robots/text.h"

namespace torqued::robots {
namespace {

constexpr size_t kMaxDepth = 24;
constexpr size_t kMaxNodes = 200000;

// The parser can be stopped only by an exception; it never leaves this file.
struct Refusal {
  int line;
  std::string what;
};

class Builder : public YAML::EventHandler {
 public:
  YamlNode root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Put(mark, anchor, "", YamlNode::Kind::kNull, {}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Refuse(mark, "aliases are not accepted"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Put(mark, anchor, tag, YamlNode::Kind::kScalar, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, anchor, tag, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, anchor, tag, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  [[noreturn]] static void Refuse(const YAML::Mark& mark, const std::string& what) { throw Refusal{mark.line + 1, what}; }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, YamlNode::Kind kind) {
    if (open_.size() >= kMaxDepth) Refuse(mark, "more than " + std::to_string(kMaxDepth) + " levels");
    YamlNode* node = Put(mark, anchor, tag, kind, {});
    if (node == nullptr) Refuse(mark, "a key must be a word");
    open_.push_back({node, false});
  }

  // The new node, or null where it became a key. Pointers stay valid: a parent grows only when no child is open.
  YamlNode* Put(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, YamlNode::Kind kind,
                const std::string& text) {
    if (anchor != 0) Refuse(mark, "anchors are not accepted");
    if (!tag.empty() && tag != "?" && tag != "!") Refuse(mark, "tags are not accepted");
    if (++nodes_ > kMaxNodes) Refuse(mark, "more than " + std::to_string(kMaxNodes) + " entries");
    YamlNode* node = &root;
    if (!open_.empty()) {
      Level& level = open_.back();
      if (level.node->kind == YamlNode::Kind::kMap && !level.has_key) {
        if (kind == YamlNode::Kind::kNull) Refuse(mark, "a key is empty");
        if (kind != YamlNode::Kind::kScalar) Refuse(mark, "a key must be a word");
        if (std::find(level.node->keys.begin(), level.node->keys.end(), text) != level.node->keys.end())
          Refuse(mark, Quoted(text) + " is given twice");
        if (level.node->keys.size() >= 10000) Refuse(mark, "more than 10000 keys");
        level.node->keys.push_back(text);
        level.has_key = true;
        return nullptr;
      }
      level.has_key = false;
      level.node->items.emplace_back();
      node = &level.node->items.back();
    }
    node->kind = kind;
    node->line = mark.line + 1;
    node->text = text;
    return node;
  }

  struct Level {
    YamlNode* node;
    bool has_key;
  };
  std::vector<Level> open_;
  size_t nodes_ = 0;
};

// The text as a stream, without copying it.
class View : public std::streambuf {
 public:
  explicit View(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

YamlNode ParseYaml(std::string_view source, Report& report) {
  Builder builder;
  if (source.size() > kMaxYamlBytes) {
    report.Fail(0, "source",
                std::to_string(source.size()) + " bytes, at most " + std::to_string(kMaxYamlBytes) + " of YAML are read",
                absl::StatusCode::kResourceExhausted);
    return {};
  }
  try {
    View view(source);
    std::istream stream(&view);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) report.Fail(0, "", "no YAML document");
    Builder rest;
    if (parser.HandleNextDocument(rest)) report.Fail(rest.root.line, "", "a second YAML document, want one");
  } catch (const Refusal& refusal) {
    report.Fail(refusal.line, "", refusal.what);
  } catch (const YAML::Exception& e) {
    report.Fail(e.mark.line + 1, "", "not well-formed YAML: " + e.msg);
  }
  return std::move(builder.root);
}

}  // namespace torqued::robots
