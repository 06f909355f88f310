#include "tests/soak/reflection.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/unknown_field_set.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <stdexcept>

namespace torqued::testing {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// ServerReflectionRequest: file_containing_symbol = 4, list_services = 7.
constexpr int kSymbol = 4, kList = 7;
// ServerReflectionResponse: file_descriptor_response = 4 {file_descriptor_proto = 1}, list_services_response = 6
// {service = 1 {name = 1}}.
constexpr int kFiles = 4, kServices = 6, kFirst = 1;

std::vector<std::string> Strings(const std::string& message, int number) {
  UnknownFieldSet fields;
  if (!fields.ParseFromString(message)) throw std::runtime_error("reflection: no message");
  std::vector<std::string> found;
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number && fields.field(i).type() == UnknownField::TYPE_LENGTH_DELIMITED)
      found.push_back(fields.field(i).length_delimited());
  return found;
}

class Dialogue {
 public:
  explicit Dialogue(const std::shared_ptr<grpc::Channel>& channel) : stub_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    call_ = stub_.PrepareCall(&context_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue_);
    call_->StartCall(this);
    Wait();
  }
  ~Dialogue() {
    context_.TryCancel();
    grpc::Status status;
    call_->Finish(&status, this);
    void* tag = nullptr;
    bool ok = false;
    queue_.Next(&tag, &ok);
    queue_.Shutdown();
    while (queue_.Next(&tag, &ok)) {
    }
  }

  std::string Ask(int field, const std::string& value) {
    UnknownFieldSet request;
    request.AddLengthDelimited(field, value);
    std::string bytes;
    request.SerializeToString(&bytes);
    const grpc::Slice slice(bytes);
    call_->Write(grpc::ByteBuffer(&slice, 1), this);
    Wait();
    grpc::ByteBuffer answer;
    call_->Read(&answer, this);
    Wait();
    std::vector<grpc::Slice> slices;
    if (!answer.Dump(&slices).ok()) throw std::runtime_error("reflection: no answer");
    std::string out;
    for (const grpc::Slice& s : slices) out.append(reinterpret_cast<const char*>(s.begin()), s.size());
    return out;
  }

 private:
  void Wait() {
    void* tag = nullptr;
    bool ok = false;
    if (!queue_.Next(&tag, &ok) || !ok) throw std::runtime_error("reflection: the server does not answer");
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace

std::vector<RemoteMethod> AskMethods(const std::shared_ptr<grpc::Channel>& channel) {
  Dialogue dialogue(channel);
  std::vector<RemoteMethod> methods;
  for (const std::string& list : Strings(dialogue.Ask(kList, ""), kServices))
    for (const std::string& service : Strings(list, kFirst)) {
      const std::string name = Strings(service, kFirst).at(0);
      for (const std::string& files : Strings(dialogue.Ask(kSymbol, name), kFiles))
        for (const std::string& text : Strings(files, kFirst)) {
          google::protobuf::FileDescriptorProto file;
          if (!file.ParseFromString(text)) throw std::runtime_error("reflection: no file");
          for (const auto& s : file.service())
            if (file.package() + "." + s.name() == name)
              for (const auto& m : s.method())
                methods.push_back({"/" + name + "/" + m.name(), m.input_type().substr(1), m.client_streaming(), m.server_streaming()});
        }
    }
  return methods;
}

}  // namespace torqued::testing
