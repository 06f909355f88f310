#include "client/card/watch.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

template <std::size_t n>
std::string Text(const char (&field)[n]) {
  return std::string(field, strnlen(field, n));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CardWatch>> CardWatch::Open(const std::string& name) {
  auto segment = SharedSegment::Watch(name);
  if (!segment.ok()) return segment.status();
  if (!(*segment)->CardAlive()) return absl::UnavailableError(absl::StrCat("card '", name, "': its process is dead"));
  return std::unique_ptr<CardWatch>(new CardWatch(*std::move(segment)));
}

absl::StatusOr<CardConfig> CardWatch::Config() const {
  const std::string text = Text(header().config);
  if (text.empty()) return absl::NotFoundError("the card does not tell its configuration: give the file");
  return ReadCardConfig(text, nullptr);
}

std::string CardWatch::Driver() const { return Text(header().driver); }
std::string CardWatch::Description() const { return Text(header().description); }

}  // namespace torqued
