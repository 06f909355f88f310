/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The real-time half of the LinuxCNC driver: executes one set-point per servo period and refuses what it must not execute.
 *
 * Pins (N = 0 .. axes-1), all in SI units of the joint:
 *   torqued-card.N.pos-cmd, .vel-cmd, .tau-ff  out  to stepgen, PID or drive
 *   torqued-card.N.pos-fb                      in   from the encoder
 *   torqued-card.N.drive-fault                 in
 *   torqued-card.enable                        out  drives and brakes: TRUE = powered
 *   torqued-card.emergency-stop                in   TRUE = the safety chain is open
 *   torqued-card.simulate                      in   TRUE (default): feedback from a built-in drive, pos-fb is ignored
 *   torqued-card.state, .executed              out  for a panel
 * Function: torqued-card.cycle, in the servo thread, after the encoders are read and before the drives are written.
 *
 * Rules are those of motion_card.h: session and sequence in every set-point, start check, limits and finiteness at this last hop,
 * watchdog in wall time, starvation = hold, ramp, one fault, controlled stop from the last command.
 */
#include "rtapi.h"
#include "rtapi_app.h"
#include "rtapi_math.h"
#include "rtapi_string.h"
#include "hal.h"

#include "torqued_block.h"

MODULE_AUTHOR("Torqued");
MODULE_DESCRIPTION("Torqued motion card: executes set-points from shared memory");
MODULE_LICENSE("GPL");
static int axes = 6;
RTAPI_MP_INT(axes, "number of axes, 1 to 12");

enum { OFFLINE, DISABLED, READY, STREAMING, STOPPING, HOMING, FAULTED };
enum { CMD_NONE, CMD_OPEN, CMD_CLOSE, CMD_ENABLE, CMD_DISABLE, CMD_HOME, CMD_RESET, CMD_BEGIN, CMD_START };
enum { STOP_NONE, STOP_PATH, STOP_RAMP, STOP_QUICK, STOP_POWER_OFF };
enum { E_WRONG_STATE = 1, E_BAD_ARGUMENT = 3, E_NO_SESSION = 4, E_NOTHING_QUEUED = 6, E_PROTOCOL = 9, E_UNSUPPORTED = 11,
       E_GAP = 20, E_REPEAT, E_OLD_SESSION, E_NOT_FINITE, E_POSITION, E_VELOCITY, E_ACCELERATION, E_TORQUE, E_JUMP, E_START,
       E_ENDS_MOVING, E_STARVED = 40, E_WATCHDOG, E_FOLLOWING, E_EMERGENCY, E_DRIVE, E_FEEDBACK = 47, E_ESCALATED = 64 };

typedef struct {
  hal_float_t *pos_cmd[TQ_MAX_AXES], *vel_cmd[TQ_MAX_AXES], *tau_ff[TQ_MAX_AXES], *pos_fb[TQ_MAX_AXES];
  hal_bit_t *drive_fault[TQ_MAX_AXES], *enable, *emergency_stop, *simulate;
  hal_u32_t *state, *executed;
} pins_t;

static pins_t *pin;
static tq_block *b;
static tq_config c;
static int comp_id, shm_id;
static uint32_t state, session, expected_session;
static uint64_t expected, executed_in_session, last_beat;
static long long last_beat_ns, path_deadline_ns, last_start_ns;
static double q[TQ_MAX_AXES], q_before[TQ_MAX_AXES], v[TQ_MAX_AXES], qc[TQ_MAX_AXES], vc[TQ_MAX_AXES], ff[TQ_MAX_AXES];
static double hold[TQ_MAX_AXES], sim_q[TQ_MAX_AXES], stop_ff[TQ_MAX_AXES], stop_share;
static uint32_t outside[TQ_MAX_AXES], hold_left;
static int starved, path_stop, stop_kind, executed_now;
static double h;

static tq_status status(int code, int joint, double value, double limit) {
  tq_status s = {code, joint, 0, value, limit, 0};
  return s;
}

static int powered(void) { return state == READY || state == STREAMING || state == STOPPING; }

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
  if (state == READY || state == STREAMING || state == STOPPING) void_session();
  if (state == STREAMING) {
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
  if (state == STREAMING || state == STOPPING) begin_stop(STOP_RAMP);
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
  if (state != READY) return status(E_WRONG_STATE, -1, state, 0);
  if (b->argument <= b->last_session) return status(E_BAD_ARGUMENT, -1, b->argument, b->last_session);
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
        memset(b->peak_following, 0, sizeof(b->peak_following));
        state = DISABLED;
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
      if (*pin->emergency_stop) return status(E_EMERGENCY, -1, 0, 0);
      for (i = 0; i < axes; ++i)
        if (*pin->drive_fault[i]) return status(E_DRIVE, i, 0, 0);
      b->cause = fine;
      memset(b->peak_following, 0, sizeof(b->peak_following));
      state = DISABLED;
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
  if (*pin->emergency_stop && state != OFFLINE && state != FAULTED) trip_off(status(E_EMERGENCY, -1, 0, 0));
  for (i = 0; i < axes && powered(); ++i) {
    if (!isfinite(q[i])) trip_off(status(E_FEEDBACK, i, q[i], 0));
    else if (*pin->drive_fault[i]) trip_off(status(E_DRIVE, i, 0, 0));
  }
}

static void publish(long long now, long long late) {
  const uint64_t head = b->feedback_head;
  if (head - TQ_LOAD(b->feedback_tail) < TQ_FEEDBACK) {
    tq_feedback *f = &b->feedback[head & (TQ_FEEDBACK - 1)];
    memset(f, 0, sizeof(*f));
    f->cycle = b->cycle;
    f->sequence = executed_in_session;
    f->session = expected_session;
    f->flags = (powered() ? 1 : 0) | (executed_now ? 2 : 0) | (path_stop ? 8 : 0) | (*pin->emergency_stop ? 16 : 0) | 32;
    f->queued = (uint32_t)(TQ_LOAD(b->setpoint_head) - b->setpoint_tail);
    f->state = state;
    f->time_ns = now;
    f->lateness_ns = late;
    memcpy(f->q_command, qc, sizeof(qc));
    memcpy(f->v_command, vc, sizeof(vc));
    memcpy(f->q, q, sizeof(q));
    memcpy(f->v, v, sizeof(v));
    memcpy(f->tau_feed_forward, ff, sizeof(ff));
    memcpy(f->tau_command, ff, sizeof(ff));
    memcpy(f->tau, ff, sizeof(ff));
    f->cause = b->cause;
    TQ_STORE(b->feedback_head, head + 1);
  } else {
    ++b->feedback_dropped;
  }
  if (late > b->worst_lateness_ns) b->worst_lateness_ns = late;
  TQ_STORE(b->state, state);
}

static void cycle(void *arg, long period) {
  const long long now = rtapi_get_time();
  const long long late = last_start_ns ? now - last_start_ns - period : 0;
  uint64_t asked;
  int i;
  (void)arg;
  last_start_ns = now;
  h = 1e-9 * period;
  b->period_ns = period;
  TQ_STORE(b->cycle, b->cycle + 1);
  if (late > period) ++b->overruns;
  executed_now = 0;
  for (i = 0; i < axes; ++i) {
    q[i] = *pin->simulate ? sim_q[i] : *pin->pos_fb[i];
    v[i] = (q[i] - q_before[i]) / h;
    q_before[i] = q[i];
  }
  asked = TQ_LOAD(b->asked);
  if (asked != b->answered) {
    b->answer = execute(now);
    b->answer.cycle = b->cycle;
    TQ_STORE(b->state, state);
    TQ_STORE(b->answered, asked);
  }
  take_stop(now);
  watch(now);
  if (state == STREAMING) stream();
  else if (state == STOPPING) ramp();
  else if (state == READY) {
    memset(vc, 0, sizeof(vc));
    memcpy(ff, hold, sizeof(ff));
  }
  if (!executed_now) follows(qc, vc);
  if (!powered()) {
    memcpy(qc, q, sizeof(qc));
    memset(vc, 0, sizeof(vc));
    memset(ff, 0, sizeof(ff));
  }
  for (i = 0; i < axes; ++i) {
    /* The built-in drive: follows with a lag of four cycles on what the speed does not explain. */
    if (powered()) sim_q[i] += h * vc[i] + 0.25 * (qc[i] - sim_q[i] - h * vc[i]);
    *pin->pos_cmd[i] = qc[i];
    *pin->vel_cmd[i] = vc[i];
    *pin->tau_ff[i] = ff[i];
  }
  *pin->enable = powered();
  *pin->state = state;
  *pin->executed = (uint32_t)b->executed;
  publish(now, late > 0 ? late : 0);
}

int rtapi_app_main(void) {
  int i, r = 0;
  if (axes < 1 || axes > TQ_MAX_AXES) {
    rtapi_print_msg(RTAPI_MSG_ERR, "torqued-card: axes=%d, want 1 to %d\n", axes, TQ_MAX_AXES);
    return -1;
  }
  comp_id = hal_init("torqued_card");
  if (comp_id < 0) return comp_id;
  shm_id = rtapi_shmem_new(TQ_BLOCK_KEY, comp_id, sizeof(tq_block));
  if (shm_id < 0 || rtapi_shmem_getptr(shm_id, (void **)&b) < 0) goto fail;
  memset(b, 0, sizeof(*b));
  pin = hal_malloc(sizeof(*pin));
  if (!pin) goto fail;
  for (i = 0; i < axes; ++i) {
    r |= hal_pin_float_newf(HAL_OUT, &pin->pos_cmd[i], comp_id, "torqued-card.%d.pos-cmd", i);
    r |= hal_pin_float_newf(HAL_OUT, &pin->vel_cmd[i], comp_id, "torqued-card.%d.vel-cmd", i);
    r |= hal_pin_float_newf(HAL_OUT, &pin->tau_ff[i], comp_id, "torqued-card.%d.tau-ff", i);
    r |= hal_pin_float_newf(HAL_IN, &pin->pos_fb[i], comp_id, "torqued-card.%d.pos-fb", i);
    r |= hal_pin_bit_newf(HAL_IN, &pin->drive_fault[i], comp_id, "torqued-card.%d.drive-fault", i);
  }
  r |= hal_pin_bit_newf(HAL_OUT, &pin->enable, comp_id, "torqued-card.enable");
  r |= hal_pin_bit_newf(HAL_IN, &pin->emergency_stop, comp_id, "torqued-card.emergency-stop");
  r |= hal_pin_bit_newf(HAL_IN, &pin->simulate, comp_id, "torqued-card.simulate");
  r |= hal_pin_u32_newf(HAL_OUT, &pin->state, comp_id, "torqued-card.state");
  r |= hal_pin_u32_newf(HAL_OUT, &pin->executed, comp_id, "torqued-card.executed");
  r |= hal_export_funct("torqued-card.cycle", cycle, 0, 1, 0, comp_id);
  if (r) goto fail;
  *pin->simulate = 1;
  b->version = TQ_BLOCK_VERSION;
  b->bytes = sizeof(*b);
  TQ_STORE(b->magic, TQ_BLOCK_MAGIC);
  hal_ready(comp_id);
  return 0;
fail:
  rtapi_print_msg(RTAPI_MSG_ERR, "torqued-card: no memory or pins\n");
  hal_exit(comp_id);
  return -1;
}

void rtapi_app_exit(void) {
  if (b) TQ_STORE(b->magic, 0);
  rtapi_shmem_delete(shm_id, comp_id);
  hal_exit(comp_id);
}
