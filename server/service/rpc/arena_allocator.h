// Request and response of one call in one arena, whose first block is part of the same allocation.
#pragma once

#include <google/protobuf/arena.h>
#include <grpcpp/support/message_allocator.h>

namespace torqued {

template <class Request, class Response>
class ArenaAllocator final : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override { return new Holder; }

 private:
  static constexpr size_t kFirstBlock = 4096;  // holds a question and an answer about one state

  class Holder final : public grpc::MessageHolder<Request, Response> {
   public:
    Holder() : arena_(block_, kFirstBlock) {
      this->set_request(google::protobuf::Arena::CreateMessage<Request>(&arena_));
      this->set_response(google::protobuf::Arena::CreateMessage<Response>(&arena_));
    }
    void Release() override { delete this; }

   private:
    alignas(16) char block_[kFirstBlock];
    google::protobuf::Arena arena_;
  };
};

}  // namespace torqued
