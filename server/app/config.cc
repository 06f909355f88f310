#include "server/app/config.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "server/robots/text.h"
#include "server/service/access/access_file.h"
#include "server/service/near.h"
#include "server/service/server.h"
#include "server/store/etcd_options.h"

namespace torqued {
namespace {

using Reader = std::function<std::string(const Config&)>;
using Writer = std::function<bool(Config&, const std::string&)>;

struct Field {
  std::string name, help, want;
  Reader read;
  Writer write;
};

Field Text(const char* name, std::string Config::*member, const char* help) {
  return {name, help, "text", [member](const Config& c) { return c.*member; },
          [member](Config& c, const std::string& text) {
            c.*member = text;
            return true;
          }};
}

Field Flag(const char* name, bool Config::*member, const char* help) {
  return {name, help, "true or false", [member](const Config& c) { return c.*member ? "true" : "false"; },
          [member](Config& c, const std::string& text) { return absl::SimpleAtob(text, &(c.*member)); }};
}

Field Whole(const char* name, int Config::*member, int least, int most, const char* help) {
  return {name, help, absl::StrCat("a whole number from ", least, " to ", most),
          [member](const Config& c) { return absl::StrCat(c.*member); },
          [member, least, most](Config& c, const std::string& text) {
            int value = 0;
            if (!absl::SimpleAtoi(text, &value) || value < least || value > most) return false;
            c.*member = value;
            return true;
          }};
}

Field Real(const char* name, double Config::*member, double most, const char* help, const char* unit) {
  return {name, help, absl::StrCat(unit, " from 0 to ", most),
          [member](const Config& c) { return absl::StrFormat("%g", c.*member); },
          [member, most](Config& c, const std::string& text) {
            double value = 0;
            if (!absl::SimpleAtod(text, &value) || !(value >= 0 && value <= most)) return false;
            c.*member = value;
            return true;
          }};
}

Field Seconds(const char* name, double Config::*member, double most, const char* help) {
  return Real(name, member, most, help, "seconds");
}

Field OneOf(const char* name, std::string Config::*member, const std::vector<std::string>& choices, const char* help) {
  Field field = Text(name, member, help);
  field.want = absl::StrCat("one of ", absl::StrJoin(choices, ", "));
  field.write = [member, choices](Config& c, const std::string& text) {
    for (const std::string& choice : choices)
      if (text == choice) {
        c.*member = text;
        return true;
      }
    return false;
  };
  return field;
}

const std::vector<Field>& Fields() {
  static const std::vector<Field>* const fields = new std::vector<Field>{
      Text("listen", &Config::listen, "address: HOST:PORT (port 0: a free one), [IPV6]:PORT or unix:PATH"),
      Text("data_dir", &Config::data_dir, "folder of the models; one server at a time"),
      Text("store", &Config::store, "sqlite (in data_dir), or etcd://[USER@]HOST:PORT,...[/PREFIX] for several servers"),
      Text("store_ca", &Config::store_ca, "PEM file of the authority that signed etcd's certificate; given: TLS"),
      Text("store_cert", &Config::store_cert, "PEM file of our certificate for etcd"),
      Text("store_key", &Config::store_key, "PEM file of its private key"),
      Text("store_password_file", &Config::store_password_file, "file with the password of etcd's USER"),
      Text("robots", &Config::robots, "folder whose models are registered at start"),
      Text("metrics_listen", &Config::metrics_listen, "IP:PORT of HTTP /metrics, /healthz and /readyz; empty: nowhere"),
      Text("port_file", &Config::port_file, "file that gets the port once the server answers"),
      Flag("insecure", &Config::insecure, "allow an address beyond loopback without TLS or authentication"),
      Text("tls_cert", &Config::tls_cert, "certificate (PEM, with its chain), read again when it changes; empty: no TLS"),
      Text("tls_key", &Config::tls_key, "its private key (PEM)"),
      Text("tls_client_ca", &Config::tls_client_ca, "authorities (PEM) whose certificates clients may show"),
      Flag("tls_client_required", &Config::tls_client_required, "with tls_client_ca, no connection without one: true or false"),
      OneOf("certificate_role", &Config::certificate_role, {"none", "viewer", "editor", "admin"},
            "role of a client certificate that auth_file does not name"),
      Text("auth_file", &Config::auth_file, "file of who may call (torquectl auth), read again when it changes"),
      Text("audit_file", &Config::audit_file, "file that audit lines are added to; empty: the log"),
      Whole("worker_threads", &Config::worker_threads, 0, 1024, "threads for batches; 0: one per processor"),
      Whole("queue_length", &Config::queue_length, 1, 1000000, "requests that may wait for a worker"),
      Seconds("queue_s", &Config::queue_s, 3600, "estimated work that may wait for the workers [s]"),
      Whole("client_calls", &Config::client_calls, 0, 1000000, "calls of one client, waiting or running; 0: no limit"),
      Real("client_calls_per_s", &Config::client_calls_per_s, 1e6, "calls of one client per second; 0: no limit", "a rate"),
      Whole("message_mib", &Config::message_mib, 1, 1024, "largest request [MiB]"),
      Whole("models", &Config::models, 1, 1000000, "models at most"),
      Whole("revisions_per_model", &Config::revisions_per_model, 1, 100000, "revisions kept per model"),
      Flag("compile", &Config::compile, "make machine code for every model, in the background: true or false"),
      Seconds("drain_delay_s", &Config::drain_delay_s, 3600, "after SIGTERM: not healthy, but calls are taken [s]"),
      Seconds("drain_s", &Config::drain_s, 3600, "then: running calls may finish [s]"),
      Seconds("max_connection_age_s", &Config::max_connection_age_s, 1e6, "clients connect again after [s]; 0: never"),
      Seconds("slow_s", &Config::slow_s, 3600, "calls that take longer are logged [s]"),
      OneOf("log_level", &Config::log_level, {"debug", "info", "warning", "error"}, "debug, info, warning or error"),
      Text("log_file", &Config::log_file, "file that log lines are added to; empty: standard error"),
  };
  return *fields;
}

bool IsLoopback(const std::string& listen) {
  for (const char* prefix : {"unix:", "127.", "localhost:", "[::1]:"})
    if (listen.rfind(prefix, 0) == 0) return true;
  return false;
}

}  // namespace

const char* OriginName(Origin origin) {
  switch (origin) {
    case Origin::kDefault: return "default";
    case Origin::kFile: return "file";
    case Origin::kEnvironment: return "environment";
    case Origin::kFlag: return "flag";
  }
  return "";
}

const std::vector<Setting>& Settings() {
  static const std::vector<Setting>* const settings = [] {
    auto* all = new std::vector<Setting>;
    for (const Field& f : Fields()) all->push_back({f.name, f.help, f.read(Config())});
    return all;
  }();
  return *settings;
}

absl::Status Configuration::Set(const std::string& name, const std::string& value, Origin origin,
                                const std::string& where) {
  for (const Field& field : Fields()) {
    if (field.name != name) continue;
    if (!field.write(config_, value))
      return absl::InvalidArgumentError(absl::StrCat(where, ": ", name, ": '", value, "', want ", field.want));
    where_[name] = absl::StrCat(OriginName(origin), " ", where);
    return absl::OkStatus();
  }
  std::vector<std::string> names;
  for (const Field& field : Fields()) names.push_back(field.name);
  const std::vector<std::string> near = NearNames(name, names);
  return absl::InvalidArgumentError(absl::StrCat(where, ": no setting '", name, "'",
                                                 near.empty() ? "" : absl::StrCat("; did you mean '", near[0], "'?")));
}

absl::Status Configuration::ReadText(const std::string& path, const std::string& yaml) {
  if (absl::Status s = yaml.empty() ? absl::OkStatus() : robots::CheckText(yaml); !s.ok())
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", absl::StripPrefix(s.message(), "source: ")));
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception& e) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", e.mark.line + 1, ": ", e.msg));
  }
  if (root.IsNull()) return absl::OkStatus();
  if (!root.IsMap()) return absl::InvalidArgumentError(absl::StrCat(path, ": want lines of 'name: value'"));
  std::map<std::string, int> lines;
  for (const auto& pair : root) {
    const std::string where = absl::StrCat(path, ":", pair.first.Mark().line + 1);
    if (!pair.first.IsScalar() || !(pair.second.IsScalar() || pair.second.IsNull()))
      return absl::InvalidArgumentError(absl::StrCat(where, ": want 'name: value'"));
    const auto [before, first] = lines.emplace(pair.first.Scalar(), pair.first.Mark().line + 1);
    if (!first)
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": ", before->first, " stands in line ", before->second, " already"));
    const std::string value = pair.second.IsNull() ? "" : pair.second.Scalar();
    if (absl::Status s = Set(pair.first.Scalar(), value, Origin::kFile, where); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Configuration::ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return absl::NotFoundError(absl::StrCat("configuration file ", path, " cannot be read"));
  return ReadText(path, text.str());
}

absl::Status Configuration::ReadEnvironment() {
  for (const Field& field : Fields()) {
    const std::string variable = absl::StrCat("TORQUED_", absl::AsciiStrToUpper(field.name));
    if (const char* value = std::getenv(variable.c_str()))
      if (absl::Status s = Set(field.name, value, Origin::kEnvironment, variable); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Configuration::Check() const {
  const std::string& listen = config_.listen;
  if (listen.rfind("unix:", 0) != 0) {
    const size_t colon = listen.rfind(':');
    int port = -1;
    if (colon == std::string::npos || colon == 0 || !absl::SimpleAtoi(listen.substr(colon + 1), &port) || port < 0 ||
        port > 65535)
      return absl::InvalidArgumentError(
          absl::StrCat("listen: '", listen, "', want HOST:PORT with a port from 0 to 65535, or unix:PATH"));
  }
  if (config_.store != "sqlite") {
    const auto etcd = ParseEtcdUrl(config_.store);
    if (!etcd.ok()) return etcd.status();
    if (etcd->user.empty() != config_.store_password_file.empty())
      return absl::InvalidArgumentError("store: a USER in its URL and store_password_file go together");
  }
  if (config_.store_cert.empty() != config_.store_key.empty())
    return absl::InvalidArgumentError("store_cert and store_key go together");
  const bool tls = !config_.tls_cert.empty(), known = !config_.auth_file.empty() || !config_.tls_client_ca.empty();
  if (tls != !config_.tls_key.empty())
    return absl::InvalidArgumentError("tls_cert, tls_key: want both or none");
  if (!tls && !config_.tls_client_ca.empty())
    return absl::InvalidArgumentError("tls_client_ca: wants tls_cert and tls_key too");
  if (!IsLoopback(listen) && !config_.insecure && !(tls && known))
    return absl::InvalidArgumentError(absl::StrCat(
        "listen: '", listen, "' can be reached from other machines, and ",
        tls ? "nobody is asked who he is (--auth-file, --tls-client-ca)"
            : known ? "nothing is encrypted (--tls-cert, --tls-key)"
                    : "nothing is encrypted or authenticated (--tls-cert, --tls-key; --auth-file or --tls-client-ca)",
        "; say --insecure if that is wanted"));
  if (tls)
    if (absl::Status s = CheckTls({config_.tls_cert, config_.tls_key, config_.tls_client_ca, true}); !s.ok()) return s;
  if (!config_.auth_file.empty())
    if (const auto entries = ReadAccessFile(config_.auth_file); !entries.ok()) return entries.status();
  return absl::OkStatus();
}

std::string Configuration::Show(bool origins) const {
  std::string out;
  for (const Field& field : Fields()) {
    const std::string value = field.read(config_);
    std::string line = absl::StrCat(field.name, ": ", value.empty() ? "\"\"" : value);
    if (origins) {
      const auto where = where_.find(field.name);
      line.resize(std::max<size_t>(line.size(), 40), ' ');
      absl::StrAppend(&line, "  # ", where == where_.end() ? "default" : where->second);
    }
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

}  // namespace torqued
