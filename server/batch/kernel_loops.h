// How does a kernel walk its rows? The one template of each algorithm, run on packs, block by block.
//
// Included only by the object files of the instruction sets (kernels_*.cc): every function here is a member of a class
// that carries the set in its type. What has no set in its name must not be made here: vectors of plain types are
// declared as made elsewhere (plain_vectors.cc).
#pragma once

#include <vector>

#include "server/batch/kernels.h"
#include "server/batch/transpose.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/dynamics/path_dynamics.h"
#include "server/core/math/pack.h"
#include "server/core/spatial/quaternion.h"

extern template class std::vector<int>;
extern template class std::vector<torqued::BodyInertia>;

namespace torqued::batch_detail {

template <class P>
class Scratch final : public KernelScratch {
 public:
  Workspace<P> ws;
  std::vector<P> q, v, x, out;
  std::vector<P> block;  // of a program

  // No allocation once the largest model has been seen.
  void Fit(const Prepared& m, int out_width) {
    ws.Resize(m);
    q.resize(m.nq);
    v.resize(m.nv);
    x.resize(m.nv);
    if (out.size() < static_cast<std::size_t>(out_width)) out.resize(out_width);
  }
};

template <class Isa, int N>
struct Loops {
  using P = Pack<Isa, N>;

  static KernelScratch* MakeScratch() { return new Scratch<P>; }

  // One block's lanes: null where the rows are.
  struct Lanes {
    const P *q, *v, *x;
  };

  // compute(lanes, s) fills s.out for each block; store(s, first) writes the rows first, first + 1, ...
  template <class Compute, class Store>
  [[gnu::always_inline]] static inline void ForEachBlock(const Prepared& m, const StateRows& in, int out_width,
                                                         KernelScratch& scratch, const Compute& compute,
                                                         const Store& store) {
    Scratch<P>& s = static_cast<Scratch<P>&>(scratch);
    s.Fit(m, out_width);
    for (int first = 0; first < in.count; first += N) {
      LoadRows(in.q, m.nq, first, in.count, s.q.data());
      if (in.v) LoadRows(in.v, m.nv, first, in.count, s.v.data());
      if (in.x) LoadRows(in.x, m.nv, first, in.count, s.x.data());
      compute(Lanes{s.q.data(), in.v ? s.v.data() : nullptr, in.x ? s.x.data() : nullptr}, s);
      store(s, first);
    }
  }

  static void InverseDynamics(const Prepared& m, const Conditions& c, const StateRows& in, KernelScratch& scratch,
                              double* tau) {
    ForEachBlock(
        m, in, m.nv, scratch,
        [&](const Lanes& l, Scratch<P>& s) { torqued::InverseDynamics(m, c, l.q, l.v, l.x, s.ws, s.out.data()); },
        [&](Scratch<P>& s, int first) { StoreRows(s.out.data(), m.nv, first, in.count, tau); });
  }

  static void Gravity(const Prepared& m, const Conditions& c, const StateRows& in, KernelScratch& scratch,
                      double* tau) {
    ForEachBlock(
        m, in, m.nv, scratch,
        [&](const Lanes& l, Scratch<P>& s) { GravityTorque(m, c, l.q, s.ws, s.out.data()); },
        [&](Scratch<P>& s, int first) { StoreRows(s.out.data(), m.nv, first, in.count, tau); });
  }

  static void EquationOfMotion(const Prepared& m, const Conditions& c, const StateRows& in, KernelScratch& scratch,
                               const EquationRows& out) {
    const int n = m.nv, square = n * n;
    ForEachBlock(
        m, in, square + 4 * n, scratch,
        [&](const Lanes& l, Scratch<P>& s) {
          P* o = s.out.data();
          if (out.mass_matrix) {
            MassMatrix(m, c, l.q, s.ws, o);
            if (out.layout == MatrixLayout::kPackedUpper) PackUpper(n, o);
          }
          if (out.velocity_torque) CoriolisTorque(m, c, l.q, l.v, s.ws, o + square);
          if (out.gravity) GravityTorque(m, c, l.q, s.ws, o + square + n);
          if (out.friction) {
            for (int k = 0; k < n; ++k) o[square + 2 * n + k] = P(0.0);
            if (l.v) AddFrictionTorque(m, l.v, o + square + 2 * n);
          }
          if (out.springs) SpringTorque(m, l.q, s.ws, o + square + 3 * n);
        },
        [&](Scratch<P>& s, int first) {
          const P* o = s.out.data();
          if (out.mass_matrix) StoreRows(o, MatrixWidth(out.layout, n), first, in.count, out.mass_matrix);
          double* const rest[] = {out.velocity_torque, out.gravity, out.friction, out.springs};
          for (int k = 0; k < 4; ++k)
            if (rest[k]) StoreRows(o + square + k * n, n, first, in.count, rest[k]);
        });
  }

  static bool ForwardDynamics(const Prepared& m, const Conditions& c, const StateRows& in, KernelScratch& scratch,
                              double* a, int* singular) {
    bool all_regular = true;
    const auto solve = [&](const Lanes& l, Scratch<P>& s) {
      return torqued::ForwardDynamics(m, c, l.q, l.v, l.x, s.ws, s.out.data());
    };
    SolveStatus status;
    ForEachBlock(
        m, in, m.nv, scratch, [&](const Lanes& l, Scratch<P>& s) { status = solve(l, s); },
        [&](Scratch<P>& s, int first) {
          StoreRows(s.out.data(), m.nv, first, in.count, a);
          const int valid = in.count - first < N ? in.count - first : N;
          if (singular)
            for (int l = 0; l < valid; ++l) singular[first + l] = -1;
          if (status.ok()) return;
          all_regular = false;
          if (singular) NameSingularRows(m, c, in, s, first, valid, singular);
        });
    return all_regular;
  }

  // Some lane of a block was singular: which? Each row alone in all lanes. Rare, so cost does not matter.
  [[gnu::noinline]] static void NameSingularRows(const Prepared& m, const Conditions& c, const StateRows& in,
                                                 Scratch<P>& s, int first, int valid, int* singular) {
    for (int r = first; r < first + valid; ++r) {
      LoadRows(in.q, m.nq, r, r + 1, s.q.data());
      if (in.v) LoadRows(in.v, m.nv, r, r + 1, s.v.data());
      LoadRows(in.x, m.nv, r, r + 1, s.x.data());
      singular[r] =
          torqued::ForwardDynamics(m, c, s.q.data(), in.v ? s.v.data() : nullptr, s.x.data(), s.ws, s.out.data()).singular;
    }
  }

  // The upper triangle of a full n x n, row by row, moved together in place.
  static void PackUpper(int n, P* M) {
    P* to = M;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) *to++ = M[i * n + j];
  }

  static void Jacobian(const Prepared& m, const BodyFrame& f, Expression e, const StateRows& in,
                       KernelScratch& scratch, double* J) {
    const int width = 6 * m.nv;
    ForEachBlock(
        m, in, 2 * width, scratch,
        [&](const Lanes& l, Scratch<P>& s) {
          P* columns = s.out.data() + width;
          torqued::Jacobian(m, f, e, l.q, s.ws, columns);
          for (int j = 0; j < m.nv; ++j)
            for (int r = 0; r < 6; ++r) s.out[r * m.nv + j] = columns[6 * j + r];
        },
        [&](Scratch<P>& s, int first) { StoreRows(s.out.data(), width, first, in.count, J); });
  }

  static void ForwardKinematics(const Prepared& m, const int* frames, int frame_count, const StateRows& in,
                                KernelScratch& scratch, double* poses) {
    const int width = 7 * frame_count;
    ForEachBlock(
        m, in, width, scratch,
        [&](const Lanes& l, Scratch<P>& s) {
          torqued::ForwardKinematics(m, l.q, s.ws);
          for (int k = 0; k < frame_count; ++k) {
            const Pose<P> X = FramePose(m.frames[frames[k]], s.ws);
            P* out = s.out.data() + 7 * k;
            out[0] = X.p.x, out[1] = X.p.y, out[2] = X.p.z;
            RotationToQuaternion(X.R, out + 3);
          }
        },
        [&](Scratch<P>& s, int first) { StoreRows(s.out.data(), width, first, in.count, poses); });
  }

  static void PathDynamics(const Prepared& m, const Conditions& c, const StateRows& in, KernelScratch& scratch,
                           const PathRows& out) {
    ForEachBlock(
        m, in, 3 * m.nv, scratch,
        [&](const Lanes& l, Scratch<P>& s) {
          P* o = s.out.data();
          torqued::PathDynamics(m, c, l.q, l.v, l.x, s.ws, o, o + m.nv, o + 2 * m.nv);
        },
        [&](Scratch<P>& s, int first) {
          const P* o = s.out.data();
          StoreRows(o, m.nv, first, in.count, out.m);
          StoreRows(o + m.nv, m.nv, first, in.count, out.c);
          StoreRows(o + 2 * m.nv, m.nv, first, in.count, out.g);
        });
  }

  // fill(first) completes the block's inputs, use(first) takes its outputs.
  template <class Fill, class Use>
  [[gnu::always_inline]] static inline void ForEachProgramBlock(const Prepared& m, const BlockProgram& p,
                                                                const StateRows& in, Scratch<P>& s, const Fill& fill,
                                                                const Use& use) {
    if (s.block.size() < static_cast<std::size_t>(p.slot_count)) s.block.resize(p.slot_count);
    P* block = s.block.data();
    for (int k = 0; k < 2 * m.nv; ++k) block[m.nq + k] = P(0.0);
    const int angles = static_cast<int>(p.angle_slots.size());
    for (int first = 0; first < in.count; first += N) {
      LoadRows(in.q, m.nq, first, in.count, block);
      if (in.v) LoadRows(in.v, m.nv, first, in.count, block + m.nq);
      if (in.x) LoadRows(in.x, m.nv, first, in.count, block + m.nq + m.nv);
      fill(first);
      if (p.angles) p.angles(reinterpret_cast<double*>(block));
      P::SinCosAll(block, p.angle_slots.data(), angles, block + p.trig_slot);
      p.body(reinterpret_cast<double*>(block));
      use(first);
    }
  }

  static void RunProgram(const Prepared& m, const BlockProgram& p, const StateRows& in, KernelScratch& scratch,
                         const ProgramOutput* outputs, int output_count) {
    Scratch<P>& s = static_cast<Scratch<P>&>(scratch);
    ForEachProgramBlock(
        m, p, in, s, [](int) {},
        [&](int first) {
          P* block = s.block.data();
          for (int k = 0; k < output_count; ++k) {
            const ProgramOutput& o = outputs[k];
            P* from = block + p.output_slot + o.first;
            if (o.add_friction) AddFrictionTorque(m, block + m.nq, from);
            if (o.mirror_nv > 0)
              StoreRows(Mirrored(o.mirror_nv, from, s), o.mirror_nv * o.mirror_nv, first, in.count, o.rows);
            else
              StoreRows(from, o.width, first, in.count, o.rows);
          }
        });
  }

  static const P* Mirrored(int n, const P* upper, Scratch<P>& s) {
    if (s.out.size() < static_cast<std::size_t>(n) * n) s.out.resize(n * n);
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) s.out[i * n + j] = s.out[j * n + i] = *upper++;
    return s.out.data();
  }

  // Where the program doubts its answer (M singular in some lane), the template answers that block.
  static bool RunForwardDynamics(const Prepared& m, const Conditions& c, const BlockProgram& p, const StateRows& in,
                                 KernelScratch& scratch, double* a, int* singular) {
    Scratch<P>& s = static_cast<Scratch<P>&>(scratch);
    bool all_regular = true;
    ForEachProgramBlock(
        m, p, in, s,
        [&](int) {
          if (!c.terms.friction || !m.has_friction || !in.v) return;
          P* v = s.block.data() + m.nq;
          for (int k = 0; k < m.nv; ++k) v[m.nv + k] = v[m.nv + k] - FrictionTorque(m.friction[k], v[k]);
        },
        [&](int first) {
          const P* out = s.block.data() + p.output_slot;
          const int valid = in.count - first < N ? in.count - first : N;
          if (AnyNotPositive(P(0.5) - out[m.nv])) {
            const StateRows rest{in.q + static_cast<long>(first) * m.nq,
                                 in.v ? in.v + static_cast<long>(first) * m.nv : nullptr,
                                 in.x + static_cast<long>(first) * m.nv, valid};
            if (!ForwardDynamics(m, c, rest, s, a + static_cast<long>(first) * m.nv, singular ? singular + first : nullptr))
              all_regular = false;
            return;
          }
          StoreRows(out, m.nv, first, in.count, a);
          if (singular)
            for (int l = 0; l < valid; ++l) singular[first + l] = -1;
        });
    return all_regular;
  }

  static constexpr BatchKernels Table() {
    return {.name = Isa::kName,
            .lanes = N,
            .make_scratch = &MakeScratch,
            .inverse_dynamics = &InverseDynamics,
            .gravity = &Gravity,
            .equation_of_motion = &EquationOfMotion,
            .forward_dynamics = &ForwardDynamics,
            .jacobian = &Jacobian,
            .forward_kinematics = &ForwardKinematics,
            .run_program = &RunProgram,
            .run_forward_dynamics = &RunForwardDynamics,
            .path_dynamics = &PathDynamics};
  }
};

}  // namespace torqued::batch_detail
