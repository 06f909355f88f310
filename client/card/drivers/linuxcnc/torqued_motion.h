/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the real-time component decides in each cycle: set-point checks, controlled stop, watchdog, control calls.
 *
 * Part of torqued_card.c, which reads the pins before and writes them after. The rules are those of firmware.cc, written again in C for
 * LinuxCNC's real-time context; linuxcnc_test holds both to the same proofs.
 */
#pragma once

enum { OFFLINE, DISABLED, READY, STREAMING, STOPPING, HOMING, FAULTED };
enum { CMD_NONE, CMD_OPEN, CMD_CLOSE, CMD_ENABLE, CMD_DISABLE, CMD_HOME, CMD_RESET, CMD_BEGIN, CMD_START };
enum { STOP_NONE, STOP_PATH, STOP_RAMP, STOP_QUICK, STOP_POWER_OFF };
enum { E_WRONG_STATE = 1, E_BAD_ARGUMENT = 3, E_NO_SESSION = 4, E_NOTHING_QUEUED = 6, E_NOT_HOMED = 7, E_PROTOCOL = 9, E_UNSUPPORTED = 11,
       E_GAP = 20, E_REPEAT, E_OLD_SESSION, E_NOT_FINITE, E_POSITION, E_VELOCITY, E_ACCELERATION, E_TORQUE, E_JUMP, E_START,
       E_ENDS_MOVING, E_STARVED = 40, E_WATCHDOG, E_FOLLOWING, E_EMERGENCY, E_DRIVE, E_HOMING_FAILED = 46, E_FEEDBACK = 47, E_ESCALATED = 64 };

static tq_block *b;
static tq_config c;
static uint32_t state, session, expected_session;
static uint64_t expected, executed_in_session, last_beat;
static long long last_beat_ns, path_deadline_ns;
static double q[TQ_MAX_AXES], q_before[TQ_MAX_AXES], v[TQ_MAX_AXES], qc[TQ_MAX_AXES], vc[TQ_MAX_AXES], ff[TQ_MAX_AXES];
static double hold[TQ_MAX_AXES], offset[TQ_MAX_AXES], sim_q[TQ_MAX_AXES], stop_ff[TQ_MAX_AXES], stop_share;
static uint32_t outside[TQ_MAX_AXES], hold_left, homed;
static int starved, path_stop, stop_kind, executed_now;
static int emergency, drive_fault[TQ_MAX_AXES]; /* as read at the beginning of the cycle */
static double h;

static tq_status status(int code, int joint, double value, double limit) {
  tq_status s = {code, joint, 0, value, limit, 0};
  return s;
}

static int powered(void) { return state == READY || state == STREAMING || state == STOPPING || state == HOMING; }

static void homing_begin(uint32_t mask); /* torqued_homing.h */

static void void_session(void) {
  session = 0;
  path_stop = 0;
  TQ_STORE(b->session, 0);
}

static void latch(tq_status why) {
  if (b->cause.code) return;
  why.cycle = b->cycle;
  b->cause = why;
  ++b->faults;
}

static void trip_off(tq_status why) {
  latch(why);
  void_session();
  if (state != OFFLINE) state = FAULTED;
}

static void begin_stop(int kind) {
  int i;
  if (powered()) void_session();
  if (state == STREAMING || state == HOMING) {
    state = STOPPING;
    starved = 0;
    stop_kind = STOP_RAMP;
    stop_share = 0;
    for (i = 0; i < axes; ++i) {
      stop_ff[i] = ff[i];
      if (fabs(vc[i]) / c.axis[i].velocity > stop_share) stop_share = fabs(vc[i]) / c.axis[i].velocity;
    }
  }
  if (state == STOPPING && kind > stop_kind) stop_kind = kind;
}

static void trip_ramp(tq_status why) {
  latch(why);
  void_session();
  if (state == STREAMING || state == STOPPING || state == HOMING) begin_stop(STOP_RAMP);
  else if (state != OFFLINE) state = FAULTED;
}

/* One cycle of deceleration from the last command; the feed-forward fades with the speed. */
static void ramp(void) {
  int i, at_rest = 1;
  double share = 0;
  if (state != STOPPING) return;
  for (i = 0; i < axes; ++i) {
    const double a = stop_kind >= STOP_QUICK ? c.axis[i].quick_deceleration : c.axis[i].stop_deceleration;
    const double before = vc[i], dv = a * h;
    vc[i] = fabs(before) <= dv ? 0 : before - (before > 0 ? dv : -dv);
    qc[i] += 0.5 * h * (vc[i] + before);
    if (vc[i] != 0) at_rest = 0;
    if (fabs(vc[i]) / c.axis[i].velocity > share) share = fabs(vc[i]) / c.axis[i].velocity;
  }
  share = stop_share > 0 ? share / stop_share : 0;
  for (i = 0; i < axes; ++i) ff[i] = hold[i] + (share > 1 ? 1 : share) * (stop_ff[i] - hold[i]);
  if (at_rest) state = b->cause.code ? FAULTED : READY;
}

static tq_status check(const tq_setpoint *p) {
  int i;
  const double slack = 1 + 1e-6;
  if (p->session != expected_session) return status(E_OLD_SESSION, -1, p->session, expected_session);
  if (p->sequence > expected) return status(E_GAP, -1, (double)p->sequence, (double)expected);
  if (p->sequence < expected) return status(E_REPEAT, -1, (double)p->sequence, (double)expected);
  for (i = 0; i < axes; ++i) {
    const double step = p->q[i] - qc[i], a = (p->v[i] - vc[i]) / h;
    if (!isfinite(p->q[i])) return status(E_NOT_FINITE, i, p->q[i], 0);
    if (!isfinite(p->v[i])) return status(E_NOT_FINITE, i, p->v[i], 0);
    if (!isfinite(p->tau[i])) return status(E_NOT_FINITE, i, p->tau[i], 0);
    if (p->q[i] > c.axis[i].upper + 1e-9) return status(E_POSITION, i, p->q[i], c.axis[i].upper);
    if (p->q[i] < c.axis[i].lower - 1e-9) return status(E_POSITION, i, p->q[i], c.axis[i].lower);
    if (fabs(p->v[i]) > c.axis[i].velocity * slack) return status(E_VELOCITY, i, p->v[i], c.axis[i].velocity);
    if (fabs(p->tau[i]) > c.axis[i].torque * slack) return status(E_TORQUE, i, p->tau[i], c.axis[i].torque);
    if (expected == 1) {
      if (fabs(step) > c.axis[i].start_tolerance) return status(E_START, i, fabs(step), c.axis[i].start_tolerance);
    } else if (fabs(step - 0.5 * h * (p->v[i] + vc[i])) > c.axis[i].acceleration * h * h * slack + 1e-12) {
      return status(E_JUMP, i, step, c.axis[i].acceleration * h * h);
    }
    if (fabs(a) > c.axis[i].acceleration * slack + 1e-9) return status(E_ACCELERATION, i, a, c.axis[i].acceleration);
    if ((p->flags & 1) && fabs(p->v[i]) > c.axis[i].standstill) return status(E_ENDS_MOVING, i, p->v[i], c.axis[i].standstill);
  }
  return status(0, -1, 0, 0);
}

/* Against the command of this same cycle. 0: tripped. */
static int follows(const double *q_command, const double *v_command) {
  int i;
  for (i = 0; i < axes; ++i) {
    double limit = c.axis[i].following_at_full_speed * fabs(v_command[i]) / c.axis[i].velocity;
    const double error = fabs(q_command[i] - q[i]);
    if (!powered()) { outside[i] = 0; continue; }
    if (limit < c.axis[i].following_floor) limit = c.axis[i].following_floor;
    if (error > b->peak_following[i]) b->peak_following[i] = error;
    outside[i] = error > limit ? outside[i] + 1 : 0;
    if (outside[i] && outside[i] * h > c.axis[i].following_window_s) {
      trip_off(status(E_FOLLOWING, i, error, limit));
      return 0;
    }
  }
  return 1;
}

static void stream(void) {
  int i;
  const uint64_t queued = TQ_LOAD(b->setpoint_head) - b->setpoint_tail;
  tq_setpoint p;
  tq_status why;
  if (!starved && queued == 0) {
    latch(status(E_STARVED, -1, (double)executed_in_session, 0));
    void_session();
    starved = 1;
    hold_left = c.hold_cycles;
  }
  if (starved) {
    if (hold_left > 0) {
      --hold_left;
      for (i = 0; i < axes; ++i) qc[i] += h * vc[i];
      return;
    }
    begin_stop(STOP_RAMP);
    ramp();
    return;
  }
  if (queued > c.queue) {
    trip_ramp(status(E_PROTOCOL, -1, (double)queued, c.queue));
    ramp();
    return;
  }
  p = b->setpoint[b->setpoint_tail & (c.queue - 1)];
  TQ_STORE(b->setpoint_tail, b->setpoint_tail + 1);
  why = check(&p);
  if (why.code) {
    trip_ramp(why);
    ramp();
    return;
  }
  if (!follows(p.q, p.v)) return;
  if (expected == 1) memcpy(hold, p.tau, sizeof(hold));
  ++expected;
  ++executed_in_session;
  ++b->executed;
  executed_now = 1;
  memcpy(qc, p.q, sizeof(qc));
  memcpy(vc, p.v, sizeof(vc));
  memcpy(ff, p.tau, sizeof(ff));
  if (p.flags & 1) {
    memcpy(hold, ff, sizeof(hold));
    memset(vc, 0, sizeof(vc));
    void_session();
    state = READY;
  }
}

static tq_status begin_session(void) {
  const uint64_t stale = b->queue_head - b->setpoint_tail;
  int i;
  if (state != READY) return status(E_WRONG_STATE, -1, state, 0);
  if (b->argument <= b->last_session) return status(E_BAD_ARGUMENT, -1, b->argument, b->last_session);
  for (i = 0; i < axes; ++i)
    if (!(homed >> i & 1)) return status(E_NOT_HOMED, i, 0, 0);
  if (stale > c.queue) return status(E_PROTOCOL, -1, (double)stale, c.queue);
  b->voided += stale;
  TQ_STORE(b->setpoint_tail, b->queue_head);
  session = expected_session = b->argument;
  expected = 1;
  executed_in_session = 0;
  path_stop = 0;
  b->last_session = session;
  TQ_STORE(b->session, session);
  return status(0, -1, 0, 0);
}

static tq_status execute(long long now) {
  int i;
  const tq_status wrong = status(E_WRONG_STATE, -1, state, 0), fine = status(0, -1, 0, 0);
  switch (b->command) {
    case CMD_NONE: return fine;
    case CMD_OPEN:
      if (state == OFFLINE) {
        if (b->config.axes != (uint32_t)axes || b->config.queue < 2 || b->config.queue > TQ_MAX_QUEUE || (b->config.queue & (b->config.queue - 1)))
          return status(E_BAD_ARGUMENT, -1, b->config.axes, axes);
        c = b->config;
        for (i = 0; i < axes; ++i)
          if (!c.axis[i].homing_switch) homed |= 1u << i; /* what was homed to a switch stays so while the component lives */
        memset(b->peak_following, 0, sizeof(b->peak_following));
        state = b->cause.code ? FAULTED : DISABLED; /* a latched cause outlives a close */
      } else {
        void_session();
        if (state != FAULTED) state = DISABLED;
      }
      return fine;
    case CMD_CLOSE:
      if (state != DISABLED && state != READY && state != FAULTED) return wrong;
      void_session();
      state = OFFLINE;
      return fine;
    case CMD_ENABLE:
      if (state != DISABLED) return wrong;
      for (i = 0; i < axes; ++i) {
        if (!isfinite(b->hold_torque[i])) return status(E_NOT_FINITE, i, b->hold_torque[i], 0);
        if (fabs(b->hold_torque[i]) > c.axis[i].torque) return status(E_TORQUE, i, b->hold_torque[i], c.axis[i].torque);
        if (!isfinite(q[i])) return status(E_FEEDBACK, i, q[i], 0);
      }
      memcpy(hold, b->hold_torque, sizeof(hold));
      memcpy(qc, q, sizeof(qc));
      last_beat_ns = now;
      state = READY;
      return fine;
    case CMD_DISABLE:
      if (state == OFFLINE) return wrong;
      if (state != FAULTED) state = DISABLED;
      void_session();
      return fine;
    case CMD_RESET:
      if (state != FAULTED) return wrong;
      if (emergency) return status(E_EMERGENCY, -1, 0, 0);
      for (i = 0; i < axes; ++i)
        if (drive_fault[i]) return status(E_DRIVE, i, 0, 0);
      b->cause = fine;
      memset(b->peak_following, 0, sizeof(b->peak_following));
      state = DISABLED;
      return fine;
    case CMD_HOME:
      if (b->argument == 0 || b->argument >> axes) return status(E_BAD_ARGUMENT, -1, b->argument, 0);
      if (state != READY) return wrong;
      void_session();
      homing_begin(b->argument);
      state = HOMING;
      return fine;
    case CMD_BEGIN: return begin_session();
    case CMD_START:
      if (state != READY) return wrong;
      if (!session) return status(E_NO_SESSION, -1, 0, 0);
      if (TQ_LOAD(b->setpoint_head) == b->setpoint_tail) return status(E_NOTHING_QUEUED, -1, 0, 0);
      starved = 0;
      state = STREAMING;
      return fine;
    default: return status(E_UNSUPPORTED, -1, b->command, 0);
  }
}

static void take_stop(long long now) {
  const uint32_t kind = __atomic_exchange_n(&b->stop, 0, __ATOMIC_ACQUIRE);
  if (kind == STOP_PATH && state == READY) void_session();
  if (kind == STOP_PATH && state == HOMING) begin_stop(STOP_RAMP); /* there is no path */
  if (kind == STOP_PATH && state == STREAMING && !path_stop) {
    path_stop = 1;
    path_deadline_ns = now + (long long)(1e9 * c.path_stop_s);
  }
  if (kind == STOP_RAMP || kind == STOP_QUICK) begin_stop(kind);
  if (kind >= STOP_POWER_OFF && state != OFFLINE && state != FAULTED) {
    void_session();
    state = DISABLED;
  }
  if (path_stop && state == STREAMING && now > path_deadline_ns) trip_ramp(status(E_ESCALATED, -1, c.path_stop_s, c.path_stop_s));
}

static void watch(long long now) {
  const uint64_t beat = TQ_LOAD(b->beat);
  int i;
  if (beat != last_beat || !powered()) {
    last_beat = beat;
    last_beat_ns = now;
  } else if (1e-9 * (double)(now - last_beat_ns) > c.watchdog_s && state != STOPPING) {
    trip_ramp(status(E_WATCHDOG, -1, 1e-9 * (double)(now - last_beat_ns), c.watchdog_s));
  }
  if (emergency && state != OFFLINE && state != FAULTED) trip_off(status(E_EMERGENCY, -1, 0, 0));
  for (i = 0; i < axes && powered(); ++i) {
    if (!isfinite(q[i])) trip_off(status(E_FEEDBACK, i, q[i], 0));
    else if (drive_fault[i]) trip_off(status(E_DRIVE, i, 0, 0));
  }
}
