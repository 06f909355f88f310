// What does a kernel need to run machine code that was made for one robot? The code, and how its block is laid out.
//
// A block is an array of slots, each one value for all lanes:
//   0..            q (nq), v (nv), x (nv)        filled from the rows; zero where a kernel has no such rows
//   angle_slot..   angles, if `angles` computes them (else they are inputs)
//   trig_slot..    sine and cosine of each angle, filled between `angles` and `body`
//   output_slot..  outputs, written by `body`
//   ...            values in waiting
#pragma once

#include <vector>

namespace torqued {

struct BlockProgram {
  using Code = void (*)(double* block);

  int lanes = 0;
  Code angles = nullptr;           // null: every angle is an input
  Code body = nullptr;
  std::vector<int> angle_slots;    // where each angle lies
  int trig_slot = 0;
  int output_slot = 0;
  int output_count = 0;
  int slot_count = 0;
  int doubt_output = -1;  // output that is zero where the answer holds; else the template answers. -1: always holds
};

}  // namespace torqued
