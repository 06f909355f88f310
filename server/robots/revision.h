// Which revision is this source? The same description is always the same revision.
//
// Canonical source: the text without a byte order mark, line ends CR LF and CR turned into LF, blanks and tabs at the
// ends of lines and empty lines at the end removed, one LF at the end; then, only where they differ from the defaults,
// a line each for the options that change the model: "#!base=floating", "#!policy=repair".
#pragma once

#include <string>
#include <string_view>

#include "server/robots/load.h"

namespace torqued {

std::string CanonicalSource(std::string_view source, const LoadOptions& options = {});

// First 12 hex digits of the SHA-256 of the canonical source.
std::string Revision(std::string_view source, const LoadOptions& options = {});

}  // namespace torqued
