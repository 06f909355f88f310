// torquectl auth: who may call a server? Edits the server's access file, on the server's machine; the server takes the
// change within a second. Tokens are shown once, when they are made; the file holds their hashes.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "client/cli/json.h"
#include "client/cli/verbs/verbs.h"
#include "server/service/access/access_file.h"
#include "server/service/access/token.h"

namespace torqued::cli {
namespace {

constexpr char kWhere[] =
    "Run it on the server's machine, as who may write the file: its auth_file. A running server takes the change "
    "within a second; streams of an identity that is revoked end.";

void DeclareFile(OptionSet& options, std::string& file) {
  options.Text("--file", file, "FILE", "the server's auth_file; default: $TORQUED_AUTH_FILE");
}

absl::StatusOr<std::string> AccessFile(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("TORQUED_AUTH_FILE");
  if (variable != nullptr && *variable != 0) return std::string(variable);
  return absl::InvalidArgumentError("--file: absent, want the server's auth_file (or TORQUED_AUTH_FILE)");
}

// "90d", "12h", "never", or a time.
absl::StatusOr<absl::Time> ParseExpiry(const std::string& text) {
  if (text == "never") return absl::InfiniteFuture();
  absl::Time time;
  std::string why;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, &why) || absl::ParseTime("%Y-%m-%d", text, &time, &why)) return time;
  int64_t count = 0;
  const char unit = text.empty() ? ' ' : text.back();
  if ((unit == 'd' || unit == 'h') && absl::SimpleAtoi(text.substr(0, text.size() - 1), &count) && count > 0 && count < 1000000)
    return absl::Now() + count * absl::Hours(unit == 'd' ? 24 : 1);
  return absl::InvalidArgumentError(
      absl::StrCat("--expires: '", text, "', want 90d, 12h, a time such as 2027-01-31T00:00:00Z, or never"));
}

std::string ShowTime(absl::Time time) {
  return time == absl::InfiniteFuture() ? "never" : absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

// Whoever is given access, by token or by certificate.
class Given : public Verb {
 public:
  void Declare(OptionSet& options) override {
    options.Argument("NAME", name_, "who: the identity that models belong to and that the audit names");
    options.Choice("--role", role_, {"viewer", "editor", "admin"},
                   "viewer asks; editor registers models and changes its own; admin changes all; default viewer");
    options.Text("--expires", expires_, "90d", "when: 90d, 12h, a time, or never; default " + expires_);
    DeclareFile(options, file_);
  }

 protected:
  explicit Given(std::string expires) : expires_(std::move(expires)) {}

  absl::StatusOr<AccessEntry> Entry() const {
    const auto role = ParseRole(role_);
    if (!role.ok()) return role.status();
    const auto expires = ParseExpiry(expires_);
    if (!expires.ok()) return expires.status();
    AccessEntry entry;
    entry.name = name_;
    entry.role = *role;
    entry.expires = *expires;
    if (absl::Status s = CheckIdentityName(name_); !s.ok()) return s;
    return entry;
  }

  std::string name_, role_ = "viewer", expires_, file_;
};

class TokenCreate : public Given {
 public:
  TokenCreate() : Given("90d") {}
  VerbText Text() const override {
    return {"auth token create", kServer, "make a token and print it, once",
            {"auth token create alice --role editor --file /etc/torqued/access",
             "auth token create press --expires never --token-out press.token"},
            kWhere};
  }

  void Declare(OptionSet& options) override {
    Given::Declare(options);
    options.Text("--token-out", out_, "FILE", "write the token there (readable by its owner alone) instead of printing it");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto file = AccessFile(file_);
    if (!file.ok()) return file.status();
    auto entry = Entry();
    if (!entry.ok()) return entry.status();
    const std::string token = NewToken();
    entry->hash = TokenHash(token);
    if (!out_.empty())
      if (absl::Status s = Keep(token); !s.ok()) return s;
    if (absl::Status s = AddAccessEntry(*file, *entry); !s.ok()) return s;
    if (out_.empty()) session.out() << token << "\n";
    session.err() << "token " << entry->id() << " of " << name_ << ", " << role_ << ", expires " << ShowTime(entry->expires)
                  << (out_.empty() ? "; it is not shown again" : "") << "\n";
    return Exit::kOk;
  }

 private:
  absl::Status Keep(const std::string& token) const {
    const int fd = open(out_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const std::string line = token + "\n";
    const bool kept = fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    if (fd >= 0) close(fd);
    if (kept) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("--token-out: ", out_, " cannot be made (is it there already?)"));
  }

  std::string out_;
};

class CertificateGrant : public Given {
 public:
  CertificateGrant() : Given("never") {}
  VerbText Text() const override {
    return {"auth certificate grant", kServer, "give a client certificate's name a role",
            {"auth certificate grant press --role editor"}, kWhere};
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto file = AccessFile(file_);
    if (!file.ok()) return file.status();
    auto entry = Entry();
    if (!entry.ok()) return entry.status();
    entry->certificate = true;
    // The new role takes the place of the old one.
    if (access(file->c_str(), F_OK) == 0)
      if (const auto removed = RemoveAccessEntries(*file, true, name_, ""); !removed.ok()) return removed.status();
    if (absl::Status s = AddAccessEntry(*file, *entry); !s.ok()) return s;
    if (session.for_people())
      session.out() << "certificate of " << name_ << ": " << role_ << ", expires " << ShowTime(entry->expires) << "\n";
    return Exit::kOk;
  }
};

class Revoke : public Verb {
 public:
  explicit Revoke(bool certificate) : certificate_(certificate) {}
  VerbText Text() const override {
    if (certificate_)
      return {"auth certificate revoke", kServer, "take a certificate's role away",
              {"auth certificate revoke press"},
              std::string(kWhere) + " Unless the server's certificate_role is none, it keeps that role."};
    return {"auth token revoke", kServer, "make tokens worthless",
            {"auth token revoke alice", "auth token revoke alice --id 3f2a90c1"}, kWhere};
  }

  void Declare(OptionSet& options) override {
    options.Argument("NAME", name_, "whose");
    if (!certificate_) options.Text("--id", id_, "ID", "only the one with this id (auth token list)");
    DeclareFile(options, file_);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto file = AccessFile(file_);
    if (!file.ok()) return file.status();
    const auto removed = RemoveAccessEntries(*file, certificate_, name_, id_);
    if (!removed.ok()) return removed.status();
    if (*removed == 0)
      return absl::NotFoundError(absl::StrCat(name_, " has no ", certificate_ ? "certificate" : "token",
                                              id_.empty() ? "" : absl::StrCat(" ", id_), " in ", *file));
    if (session.for_people()) session.out() << "revoked " << *removed << (*removed == 1 ? " line" : " lines") << " of " << name_ << "\n";
    return Exit::kOk;
  }

 private:
  const bool certificate_;
  std::string name_, id_, file_;
};

class TokenList : public Verb {
 public:
  VerbText Text() const override {
    return {"auth token list", kServer, "who may call, with which role, until when", {"auth token list"}, kWhere};
  }
  void Declare(OptionSet& options) override { DeclareFile(options, file_); }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto file = AccessFile(file_);
    if (!file.ok()) return file.status();
    const auto entries = ReadAccessFile(*file);
    if (!entries.ok()) return entries.status();
    Sheet sheet{"", {"kind", "id", "name", "role", "expires", "state"}, {}};
    for (const AccessEntry& e : *entries)
      sheet.rows.push_back({e.certificate ? "certificate" : "token", e.id(), e.name, RoleName(e.role), ShowTime(e.expires),
                            e.expires > absl::Now() ? "valid" : "expired"});
    if (!session.shared().json) {
      session.out() << (session.shared().csv ? ToCsv(sheet) : ToTable(sheet));
      return Exit::kOk;
    }
    session.out() << "[";
    for (size_t r = 0; r < sheet.rows.size(); ++r) {
      session.out() << (r == 0 ? "\n  {" : ",\n  {");
      for (size_t c = 0; c < sheet.columns.size(); ++c)
        session.out() << (c == 0 ? "" : ", ") << JsonString(sheet.columns[c]) << ": "
                      << JsonString(std::get<std::string>(sheet.rows[r][c]));
      session.out() << "}";
    }
    session.out() << "\n]\n";
    return Exit::kOk;
  }

 private:
  std::string file_;
};

}  // namespace

std::unique_ptr<Verb> MakeAuthTokenCreate() { return std::make_unique<TokenCreate>(); }
std::unique_ptr<Verb> MakeAuthTokenList() { return std::make_unique<TokenList>(); }
std::unique_ptr<Verb> MakeAuthTokenRevoke() { return std::make_unique<Revoke>(false); }
std::unique_ptr<Verb> MakeAuthCertificateGrant() { return std::make_unique<CertificateGrant>(); }
std::unique_ptr<Verb> MakeAuthCertificateRevoke() { return std::make_unique<Revoke>(true); }

}  // namespace torqued::cli
