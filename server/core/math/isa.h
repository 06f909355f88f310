// Which instruction set may this translation unit use? One tag type per set, named in every symbol made for it.
//
// A tag exists only where the compiler may emit its instructions, so code for a wider set cannot be instantiated by
// accident in an ordinary object. kRegisterLanes doubles fill one register.
#pragma once

namespace torqued::isa {

struct Baseline {  // what the platform's ABI promises: SSE2 on x86-64, NEON on AArch64, plain scalars elsewhere
  static constexpr int kRegisterLanes = 2;
  static constexpr bool kFused = false;  // multiply-adds round once
  static constexpr const char* kName = "baseline";
};

#if defined(__AVX2__) && defined(__FMA__)
struct Avx2 {
  static constexpr int kRegisterLanes = 4;
  static constexpr bool kFused = true;
  static constexpr const char* kName = "avx2";
};
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
struct Avx512 {
  static constexpr int kRegisterLanes = 8;
  static constexpr bool kFused = true;
  static constexpr const char* kName = "avx512";
};
#endif

}  // namespace torqued::isa
