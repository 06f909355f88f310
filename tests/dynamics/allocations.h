// How often did this thread allocate? Linking allocations.cc replaces the global operator new by one that counts.
#pragma once

namespace torqued {

long AllocationCount();

}  // namespace torqued
