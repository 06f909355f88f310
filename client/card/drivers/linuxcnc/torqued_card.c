/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The real-time half of the LinuxCNC driver: executes one set-point per servo period and refuses what it must not execute.
 *
 * Pins (N = 0 .. axes-1), all in SI units of the joint:
 *   torqued-card.N.pos-cmd, .vel-cmd, .tau-ff  out  to stepgen, PID or drive; motor coordinates where card.yaml has an actuator_matrix
 *   torqued-card.N.pos-fb                      in   from the encoder, likewise
 *   torqued-card.N.home-switch                 in   TRUE = pressed, for axes that home to a switch
 *   torqued-card.N.drive-fault                 in
 *   torqued-card.enable                        out  drives and brakes: TRUE = powered
 *   torqued-card.emergency-stop                in   TRUE = the safety chain is open
 *   torqued-card.simulate                      in   TRUE (default): feedback from a built-in drive, pos-fb is ignored. Its encoders power
 *                                                   up 0.1 rad or m short of the truth, its home switches follow the truth
 *   torqued-card.sim-slip                      in   the built-in drives lag by this much more [rad or m]: provokes a following error
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

#include "torqued_motion.h"
#include "torqued_homing.h"

#define SIM_ORIGIN 0.1 /* truth minus encoder in the built-in drive */

typedef struct {
  hal_float_t *pos_cmd[TQ_MAX_AXES], *vel_cmd[TQ_MAX_AXES], *tau_ff[TQ_MAX_AXES], *pos_fb[TQ_MAX_AXES];
  hal_float_t *sim_slip;
  hal_bit_t *drive_fault[TQ_MAX_AXES], *home_switch[TQ_MAX_AXES], *enable, *emergency_stop, *simulate;
  hal_u32_t *state, *executed;
} pins_t;

static pins_t *pin;
static int comp_id, shm_id;
static long long last_start_ns;

static void publish(long long now, long long late) {
  const uint64_t head = b->feedback_head;
  if (head - TQ_LOAD(b->feedback_tail) < TQ_FEEDBACK) {
    tq_feedback *f = &b->feedback[head & (TQ_FEEDBACK - 1)];
    memset(f, 0, sizeof(*f));
    f->cycle = b->cycle;
    f->sequence = executed_in_session;
    f->session = expected_session;
    f->flags = (powered() ? 1 : 0) | (executed_now ? 2 : 0) | (path_stop ? 8 : 0) | (emergency ? 16 : 0) | (homed == (1u << axes) - 1 ? 32 : 0);
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
  TQ_STORE(b->homed, homed);
  TQ_STORE(b->state, state);
}

/* y = m x, or with `transposed` y = m' x. */
static void multiply(double m[TQ_MAX_AXES][TQ_MAX_AXES], int transposed, const double *x, double *y) {
  int i, j;
  for (i = 0; i < axes; ++i) {
    y[i] = 0;
    for (j = 0; j < axes; ++j) y[i] += (transposed ? m[j][i] : m[i][j]) * x[j];
  }
}

static void read_drives(void) {
  double motor[TQ_MAX_AXES], from_encoder[TQ_MAX_AXES];
  int i;
  for (i = 0; i < axes; ++i) motor[i] = *pin->simulate ? 0 : *pin->pos_fb[i];
  multiply(c.joint_from_motor, 0, motor, from_encoder);
  for (i = 0; i < axes; ++i) {
    q[i] = (*pin->simulate ? sim_q[i] - *pin->sim_slip : from_encoder[i]) + offset[i];
    v[i] = (q[i] - q_before[i]) / h;
    q_before[i] = q[i];
  }
}

static uint32_t home_switches(void) {
  uint32_t out = 0;
  int i;
  for (i = 0; i < axes; ++i) {
    const double beyond = sim_q[i] + SIM_ORIGIN - c.axis[i].switch_position;
    if (*pin->simulate ? (c.axis[i].search_speed > 0 ? beyond >= 0 : beyond <= 0) : *pin->home_switch[i]) out |= 1u << i;
  }
  return out;
}

static void write_drives(void) {
  double joint[TQ_MAX_AXES], motor[TQ_MAX_AXES];
  int i;
  for (i = 0; i < axes; ++i) joint[i] = qc[i] - offset[i];
  multiply(c.motor_from_joint, 0, joint, motor);
  for (i = 0; i < axes; ++i) *pin->pos_cmd[i] = motor[i];
  multiply(c.motor_from_joint, 0, vc, motor);
  for (i = 0; i < axes; ++i) *pin->vel_cmd[i] = motor[i];
  multiply(c.joint_from_motor, 1, ff, motor);
  for (i = 0; i < axes; ++i) *pin->tau_ff[i] = motor[i];
  *pin->enable = powered();
  *pin->state = state;
  *pin->executed = (uint32_t)b->executed;
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
  read_drives();
  emergency = *pin->emergency_stop;
  for (i = 0; i < axes; ++i) drive_fault[i] = *pin->drive_fault[i];
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
  else if (state == HOMING) homing_step(home_switches());
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
  /* The built-in drive: follows with a lag of four cycles on what the speed does not explain. */
  for (i = 0; i < axes && powered(); ++i) sim_q[i] += h * vc[i] + 0.25 * (qc[i] - offset[i] - sim_q[i] - h * vc[i]);
  write_drives();
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
    r |= hal_pin_bit_newf(HAL_IN, &pin->home_switch[i], comp_id, "torqued-card.%d.home-switch", i);
    r |= hal_pin_bit_newf(HAL_IN, &pin->drive_fault[i], comp_id, "torqued-card.%d.drive-fault", i);
  }
  r |= hal_pin_bit_newf(HAL_OUT, &pin->enable, comp_id, "torqued-card.enable");
  r |= hal_pin_bit_newf(HAL_IN, &pin->emergency_stop, comp_id, "torqued-card.emergency-stop");
  r |= hal_pin_bit_newf(HAL_IN, &pin->simulate, comp_id, "torqued-card.simulate");
  r |= hal_pin_float_newf(HAL_IN, &pin->sim_slip, comp_id, "torqued-card.sim-slip");
  r |= hal_pin_u32_newf(HAL_OUT, &pin->state, comp_id, "torqued-card.state");
  r |= hal_pin_u32_newf(HAL_OUT, &pin->executed, comp_id, "torqued-card.executed");
  r |= hal_export_funct("torqued-card.cycle", cycle, 0, 1, 0, comp_id);
  if (r) goto fail;
  *pin->simulate = 1;
  for (i = 0; i < axes; ++i) c.motor_from_joint[i][i] = c.joint_from_motor[i][i] = 1; /* until an Open brings the real one */
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
