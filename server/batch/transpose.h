// How do rows of states become lanes, and lanes rows? N rows of N doubles at a time, transposed in registers.
//
// The butterfly: at distance s = 1, 2, 4 two vectors exchange halves of every group of 2 s entries: log2 N shuffles per
// vector, against N inserts when lanes are gathered one by one. Columns that do not fill N are gathered.
#pragma once

#include <cstring>

#include "server/core/math/pack.h"

namespace torqued::batch_detail {

template <class Isa>
[[gnu::always_inline]] inline void Transpose(Pack<Isa, 2>* r) {
  using V = typename Pack<Isa, 2>::Lanes;
  const V a = r[0].v, b = r[1].v;
  r[0].v = __builtin_shufflevector(a, b, 0, 2);
  r[1].v = __builtin_shufflevector(a, b, 1, 3);
}

template <class Isa>
[[gnu::always_inline]] inline void Transpose(Pack<Isa, 4>* r) {
  using V = typename Pack<Isa, 4>::Lanes;
  const V a = __builtin_shufflevector(r[0].v, r[1].v, 0, 4, 2, 6);
  const V b = __builtin_shufflevector(r[0].v, r[1].v, 1, 5, 3, 7);
  const V c = __builtin_shufflevector(r[2].v, r[3].v, 0, 4, 2, 6);
  const V d = __builtin_shufflevector(r[2].v, r[3].v, 1, 5, 3, 7);
  r[0].v = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1].v = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2].v = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3].v = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

template <class Isa>
[[gnu::always_inline]] inline void Transpose(Pack<Isa, 8>* r) {
  using V = typename Pack<Isa, 8>::Lanes;
  V s[8], t[8];
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(r[i].v, r[i + 1].v, 0, 8, 2, 10, 4, 12, 6, 14);
    s[i + 1] = __builtin_shufflevector(r[i].v, r[i + 1].v, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = i; k < i + 2; ++k) {
      t[k] = __builtin_shufflevector(s[k], s[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      t[k + 2] = __builtin_shufflevector(s[k], s[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    r[k].v = __builtin_shufflevector(t[k], t[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[k + 4].v = __builtin_shufflevector(t[k], t[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Rows first .. first + lanes of an array of `count` rows, `width` wide; rows past the end repeat the last one.
// REQUIRES: first < count.
template <class P>
inline void LoadRows(const double* rows, int width, int first, int count, P* out) {
  constexpr int N = P::kLanes;
  const double* row[N];
  for (int l = 0; l < N; ++l)
    row[l] = rows + static_cast<long>(first + l < count ? first + l : count - 1) * width;
  int j = 0;
  for (; j + N <= width; j += N) {
    P block[N];
    for (int l = 0; l < N; ++l) __builtin_memcpy(&block[l], row[l] + j, sizeof(P));
    Transpose(block);
    for (int l = 0; l < N; ++l) out[j + l] = block[l];
  }
  for (; j < width; ++j) {
    P x;
    for (int l = 0; l < N; ++l) x.v[l] = row[l][j];
    out[j] = x;
  }
}

// The other way; writes the rows that exist only.
template <class P>
inline void StoreRows(const P* in, int width, int first, int count, double* rows) {
  constexpr int N = P::kLanes;
  const int valid = count - first < N ? count - first : N;
  double* top = rows + static_cast<long>(first) * width;
  int j = 0;
  for (; j + N <= width; j += N) {
    P block[N];
    for (int l = 0; l < N; ++l) block[l] = in[j + l];
    Transpose(block);
    for (int l = 0; l < valid; ++l) __builtin_memcpy(top + static_cast<long>(l) * width + j, &block[l], sizeof(P));
  }
  for (; j < width; ++j)
    for (int l = 0; l < valid; ++l) top[static_cast<long>(l) * width + j] = in[j].v[l];
}

}  // namespace torqued::batch_detail
