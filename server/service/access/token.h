// What is a bearer token? 256 random bits that only their owner keeps; whoever checks them keeps a hash.
//
// A token has as much entropy as its hash, so a plain SHA-256 without salt or stretching tells nothing about it.
#pragma once

#include <string>
#include <string_view>

namespace torqued {

// "tqd_" and 43 characters of base64url.
std::string NewToken();

// 64 lower-case hex digits. Of any text: what is no token matches no stored hash.
std::string TokenHash(std::string_view token);

}  // namespace torqued
