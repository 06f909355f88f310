// Who may call: TLS and certificates made for the test, tokens with roles, owners, revocation while streams run, and
// what the audit says of it all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "proto/wire/errors.h"
#include "proto/wire/grpc_status.h"
#include "server/service/access/access_file.h"
#include "server/service/access/token.h"
#include "tests/contract/process.h"
#include "tests/contract/robots.h"
#include "torqued/v1/models.grpc.pb.h"
#include "torqued/v1/server.grpc.pb.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ended;
using testing::RunTorqued;
using testing::ServerProcess;
using testing::TempFolder;

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// One caller: a channel and, maybe, a token.
class Client {
 public:
  Client(std::shared_ptr<grpc::Channel> channel, std::string token = "")
      : channel_(std::move(channel)), token_(std::move(token)) {}

  void Prepare(grpc::ClientContext& context) const {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    if (!token_.empty()) context.AddMetadata("authorization", "Bearer " + token_);
  }

  absl::Status Info() const {
    grpc::ClientContext context;
    Prepare(context);
    v1::GetServerInfoResponse response;
    return wire::FromGrpc(v1::ServerService::NewStub(channel_)->GetServerInfo(&context, {}, &response));
  }
  absl::Status Create(const std::string& id, std::string* owner = nullptr, bool validate_only = false) const {
    v1::CreateModelRequest request;
    request.set_model_id(id);
    request.mutable_source()->set_text(testing::TwoLink());
    request.set_validate_only(validate_only);
    v1::CreateModelResponse response;
    grpc::ClientContext context;
    Prepare(context);
    const absl::Status status = wire::FromGrpc(v1::ModelService::NewStub(channel_)->CreateModel(&context, request, &response));
    if (owner) *owner = response.model().owner();
    return status;
  }
  absl::Status Update(const std::string& id, double mass) const {
    v1::UpdateModelRequest request;
    request.set_name("models/" + id);
    request.mutable_source()->set_text(testing::TwoLink(mass));
    v1::UpdateModelResponse response;
    grpc::ClientContext context;
    Prepare(context);
    return wire::FromGrpc(v1::ModelService::NewStub(channel_)->UpdateModel(&context, request, &response));
  }
  absl::Status Delete(const std::string& id) const {
    v1::DeleteModelRequest request;
    request.set_name("models/" + id);
    v1::DeleteModelResponse response;
    grpc::ClientContext context;
    Prepare(context);
    return wire::FromGrpc(v1::ModelService::NewStub(channel_)->DeleteModel(&context, request, &response));
  }

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::string token_;
};

std::string Reason(const absl::Status& status) {
  const auto info = wire::GetErrorInfo(status);
  return info ? info->reason() : status.ok() ? "OK" : "none";
}

std::string AddToken(const std::string& file, const std::string& name, Role role,
                     absl::Time expires = absl::InfiniteFuture()) {
  const std::string token = NewToken();
  AccessEntry entry;
  entry.name = name;
  entry.role = role;
  entry.expires = expires;
  entry.hash = TokenHash(token);
  EXPECT_TRUE(AddAccessEntry(file, entry).ok());
  return token;
}

// Asks until the answer is of this kind: what changes takes effect within a second.
void ExpectSoon(const std::function<absl::StatusCode()>& ask, absl::StatusCode wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  absl::StatusCode last;
  while ((last = ask()) != wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(last, wanted);
}

TEST(Tokens, RolesOwnersAndRevocation) {
  const TempFolder folder;
  const std::string file = folder.path() + "/access", log = folder.path() + "/log", audit = folder.path() + "/audit";
  const std::string viewer = AddToken(file, "vera", Role::kViewer), editor = AddToken(file, "ed", Role::kEditor),
                    other = AddToken(file, "olga", Role::kEditor), admin = AddToken(file, "ada", Role::kAdmin),
                    late = AddToken(file, "lars", Role::kAdmin, absl::Now() - absl::Hours(1));
  EXPECT_THAT(Read(file), Not(HasSubstr(editor)));
  ServerProcess server(folder.path(), {"--auth-file", file, "--log-file", log, "--audit-file", audit, "--log-level", "debug"});
  const auto as = [&](const std::string& token) { return Client(server.Channel(), token); };

  EXPECT_EQ(Reason(as("").Info()), "NO_CREDENTIALS");
  EXPECT_EQ(as("").Info().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(Reason(as(editor + "x").Info()), "BAD_TOKEN");
  EXPECT_EQ(Reason(as(late).Info()), "TOKEN_EXPIRED");
  EXPECT_TRUE(as(viewer).Info().ok());

  std::string owner;
  EXPECT_EQ(Reason(as(viewer).Create("arm")), "ROLE_TOO_LOW");
  EXPECT_TRUE(as(viewer).Create("arm", nullptr, true).ok()) << "asking whether a file is good changes nothing";
  ASSERT_TRUE(as(editor).Create("arm", &owner).ok());
  EXPECT_EQ(owner, "ed");
  EXPECT_EQ(Reason(as(other).Update("arm", 2)), "NOT_OWNER");
  EXPECT_EQ(Reason(as(other).Delete("arm")), "NOT_OWNER");
  EXPECT_TRUE(as(editor).Update("arm", 2).ok());
  EXPECT_TRUE(as(admin).Update("arm", 3).ok());

  // A stream is open under ed's token when it is revoked: it ends without another message.
  grpc::ClientContext context;
  Client ed = as(editor);
  context.AddMetadata("authorization", "Bearer " + editor);
  auto stream = v1::StreamService::NewStub(ed.channel())->StreamCompute(&context);
  v1::StreamComputeRequest item;
  item.mutable_jacobian()->mutable_context()->set_model("models/arm");
  for (int i = 0; i < 2; ++i) item.mutable_jacobian()->mutable_positions()->add_values(0);
  v1::StreamComputeResponse answer;
  ASSERT_TRUE(stream->Write(item));
  ASSERT_TRUE(stream->Read(&answer));
  const auto removed = RemoveAccessEntries(file, false, "ed", "");
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, 1);
  server.Signal(SIGHUP);
  EXPECT_FALSE(stream->Read(&answer));
  const absl::Status ended = wire::FromGrpc(stream->Finish());
  EXPECT_EQ(Reason(ended), "REVOKED") << ended;
  EXPECT_EQ(Reason(ed.Info()), "BAD_TOKEN");

  // Without a signal: the file is watched.
  ASSERT_TRUE(RemoveAccessEntries(file, false, "olga", "").ok());
  ExpectSoon([&] { return as(other).Info().code(); }, absl::StatusCode::kUnauthenticated);
  // A file that is no good changes nothing, and the log says so.
  std::ofstream(file, std::ios::app) << "token eve superuser never 00\n";
  server.Signal(SIGHUP);
  ExpectSoon([&] { return Read(log).find("access stays as it was") == std::string::npos ? absl::StatusCode::kUnknown : absl::StatusCode::kOk; },
             absl::StatusCode::kOk);
  EXPECT_TRUE(as(admin).Delete("arm").ok());
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait().exit_code, 0);

  const std::string told = Read(audit);
  EXPECT_THAT(told, ContainsRegex("20[0-9-]+T.* audit peer=ipv4:127.0.0.1 method=GetServerInfo outcome=UNAUTHENTICATED id="));
  EXPECT_THAT(told, ContainsRegex("audit who=vera role=viewer peer=ipv4:127.0.0.1 method=CreateModel outcome=PERMISSION_DENIED"));
  EXPECT_THAT(told, ContainsRegex("audit who=ed role=editor .*method=CreateModel on=models/arm outcome=OK id="));
  EXPECT_THAT(told, ContainsRegex("audit who=olga role=editor .*method=UpdateModel on=models/arm outcome=PERMISSION_DENIED"));
  EXPECT_THAT(told, ContainsRegex("audit who=ada role=admin .*method=DeleteModel on=models/arm outcome=OK"));
  EXPECT_THAT(told, ContainsRegex("audit who=ed .*method=StreamCompute outcome=allowed"));
  for (const std::string& secret : {viewer, editor, other, admin, late}) {
    EXPECT_THAT(told, Not(HasSubstr(secret)));
    EXPECT_THAT(Read(log), Not(HasSubstr(secret)));
    EXPECT_THAT(Read(log), Not(HasSubstr(TokenHash(secret))));
  }
}

class TlsFiles {
 public:
  explicit TlsFiles(std::string folder) : folder_(std::move(folder)) {}
  void Make(const std::string& arguments) const {
    ASSERT_EQ(std::system(("deploy/lab-certificates " + folder_ + " " + arguments + " >/dev/null").c_str()), 0);
  }
  std::string operator()(const std::string& name) const { return folder_ + "/" + name; }

  std::shared_ptr<grpc::Channel> Channel(const std::string& address, const std::string& client, const std::string& ca = "") const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = Read(ca.empty() ? (*this)("ca.pem") : ca);
    if (!client.empty()) {
      options.pem_cert_chain = Read((*this)(client + ".pem"));
      options.pem_private_key = Read((*this)(client + ".key"));
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(address, grpc::SslCredentials(options), arguments);
  }

 private:
  const std::string folder_;
};

TEST(Tls, CertificatesAreIdentitiesAndAreReadAgain) {
  const TempFolder folder;
  const TlsFiles files(folder.path() + "/tls");
  files.Make("--client alice --client bob");
  const std::string access = folder.path() + "/access";
  AccessEntry alice;
  alice.certificate = true;
  alice.name = "alice";
  alice.role = Role::kEditor;
  ASSERT_TRUE(AddAccessEntry(access, alice).ok());
  ServerProcess server(folder.path(), {"--tls-cert", files("server.pem"), "--tls-key", files("server.key"), "--tls-client-ca",
                                       files("ca.pem"), "--auth-file", access});
  std::string owner;
  ASSERT_TRUE(Client(files.Channel(server.address(), "alice")).Create("arm", &owner).ok());
  EXPECT_EQ(owner, "alice");
  const Client bob(files.Channel(server.address(), "bob"));
  EXPECT_TRUE(bob.Info().ok()) << "the default role of a certificate is viewer";
  EXPECT_EQ(Reason(bob.Delete("arm")), "ROLE_TOO_LOW");
  // No certificate, no TLS at all, or one of another authority: no connection.
  EXPECT_EQ(Client(files.Channel(server.address(), "")).Info().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Client(server.Channel()).Info().code(), absl::StatusCode::kUnavailable);
  const TlsFiles strangers(folder.path() + "/other");
  strangers.Make("--client alice");
  EXPECT_EQ(Client(strangers.Channel(server.address(), "alice", files("ca.pem"))).Info().code(), absl::StatusCode::kUnavailable);

  // The server's certificate, and the authority it believes, become the other laboratory's without a restart.
  for (const char* name : {"server.key", "server.pem", "ca.pem"}) {
    std::filesystem::copy_file(strangers(name), files(std::string(name) + ".new"));
    std::filesystem::rename(files(std::string(name) + ".new"), files(name));
  }
  ExpectSoon([&] { return Client(strangers.Channel(server.address(), "alice")).Info().code(); }, absl::StatusCode::kOk);
  EXPECT_TRUE(Client(strangers.Channel(server.address(), "alice")).Delete("arm").ok());
}

TEST(Tls, TokensOverServerTls) {
  const TempFolder folder;
  const TlsFiles files(folder.path() + "/tls");
  files.Make("");
  const std::string access = folder.path() + "/access", token = AddToken(access, "vera", Role::kViewer);
  ServerProcess server(folder.path(), {"--tls-cert", files("server.pem"), "--tls-key", files("server.key"), "--auth-file", access});
  EXPECT_TRUE(Client(files.Channel(server.address(), ""), token).Info().ok());
  EXPECT_EQ(Reason(Client(files.Channel(server.address(), "")).Info()), "NO_CREDENTIALS");
}

TEST(Start, BeyondLoopbackWantsTlsAndAuthentication) {
  const TempFolder folder;
  const TlsFiles files(folder.path() + "/tls");
  files.Make("--client a");
  const std::string access = folder.path() + "/access";
  AddToken(access, "vera", Role::kViewer);
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check-config", "--listen", "0.0.0.0:0"});
    return RunTorqued(more);
  };
  const std::string cert = files("server.pem"), key = files("server.key");
  EXPECT_THAT(check({}).output, HasSubstr("--insecure"));
  EXPECT_THAT(check({"--auth-file", access}).output, HasSubstr("nothing is encrypted"));
  EXPECT_THAT(check({"--tls-cert", cert, "--tls-key", key}).output, HasSubstr("nobody is asked who he is"));
  EXPECT_EQ(check({"--tls-cert", cert, "--tls-key", key, "--auth-file", access}).exit_code, 0);
  EXPECT_EQ(check({"--tls-cert", cert, "--tls-key", key, "--tls-client-ca", files("ca.pem")}).exit_code, 0);
  EXPECT_EQ(check({"--insecure"}).exit_code, 0);
  // What is named must be there and fit.
  EXPECT_THAT(check({"--tls-cert", cert, "--tls-key", files("a.key"), "--auth-file", access}).output,
              HasSubstr("is not the key of " + cert));
  EXPECT_THAT(check({"--tls-cert", cert}).output, HasSubstr("want both"));
  EXPECT_THAT(check({"--tls-cert", cert, "--tls-key", key, "--auth-file", "/nowhere"}).output, HasSubstr("torquectl auth"));
  std::ofstream(access, std::ios::app) << "tokem\n";
  EXPECT_THAT(check({"--tls-cert", cert, "--tls-key", key, "--auth-file", access}).output, HasSubstr("access:3: want 'token"));
}

TEST(Start, InsecureIsSaidInTheLog) {
  const TempFolder folder;
  const std::string log = folder.path() + "/log";
  ServerProcess server(folder.path(), {"--insecure", "--log-file", log});
  EXPECT_THAT(Read(log), HasSubstr("insecure: anybody who reaches"));
}

TEST(Access, TheFileKeepsItsCommentsItsModeAndItsOrder) {
  const TempFolder folder;
  const std::string file = folder.path() + "/access";
  std::ofstream(file) << "# our people\ncertificate press viewer never  # the press\n";
  chmod(file.c_str(), 0640);
  AddToken(file, "a", Role::kViewer);
  AddToken(file, "a", Role::kEditor);
  const auto entries = ReadAccessFile(file);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ(*RemoveAccessEntries(file, false, "a", (*entries)[2].id()), 1);
  EXPECT_EQ(*RemoveAccessEntries(file, false, "press", ""), 0) << "press is a certificate";
  EXPECT_THAT(Read(file), HasSubstr("# our people\ncertificate press viewer never  # the press\n"));
  EXPECT_EQ(ReadAccessFile(file)->size(), 2u);
  struct stat s;
  ASSERT_EQ(stat(file.c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0640u);
}

}  // namespace
}  // namespace torqued
