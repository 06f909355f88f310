// Bounds of what one request may ask; published by GetServerInfo.
#pragma once

namespace torqued {

// States in one request.
inline constexpr int kMostSamples = 1000000;

// Entries of v: some answers grow with their cube.
inline constexpr int kMostDegreesOfFreedom = 256;

}  // namespace torqued
