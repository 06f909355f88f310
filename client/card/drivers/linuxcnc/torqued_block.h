/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * What do the real-time component and its helper share? One RTAPI shared-memory block: configuration, one command slot,
 * a ring of set-points, a ring of feedback records, counters.
 *
 * Records have the layout of SetPoint, Feedback and CardStatus (motion_card.h, status.h); the helper asserts it. Ring rules are
 * those of segment.h: counters only grow, a record is visible once its counter has passed it. Every counter has one writer.
 */
#pragma once

#include <stdint.h>

#define TQ_BLOCK_KEY 0x54514331 /* RTAPI key of the block */
#define TQ_BLOCK_MAGIC 0x31424451u
#define TQ_BLOCK_VERSION 2
#define TQ_MAX_AXES 12
#define TQ_MAX_QUEUE 4096    /* set-points; the queue in use is a power of two up to this */
#define TQ_FEEDBACK 8192     /* records */

typedef struct {
  int32_t code, joint;
  uint64_t cycle;
  double value, limit;
  int64_t vendor;
} tq_status;

typedef struct {
  uint64_t sequence;
  uint32_t session, flags;
  double q[TQ_MAX_AXES], v[TQ_MAX_AXES], tau[TQ_MAX_AXES];
} tq_setpoint;

typedef struct {
  uint64_t cycle, sequence;
  uint32_t session, flags, queued, state;
  int64_t time_ns, lateness_ns;
  double q_command[TQ_MAX_AXES], v_command[TQ_MAX_AXES], q[TQ_MAX_AXES], v[TQ_MAX_AXES];
  double tau_feed_forward[TQ_MAX_AXES], tau_command[TQ_MAX_AXES], tau[TQ_MAX_AXES];
  tq_status cause;
} tq_feedback;

/* SI units; joint coordinates. */
typedef struct {
  double lower, upper, velocity, acceleration, torque, stop_deceleration, quick_deceleration;
  double following_floor, following_at_full_speed, following_window_s, start_tolerance, standstill;
  double switch_position, search_speed, latch_speed, home_position, travel; /* homing to a switch */
  uint32_t homing_switch, pad;                                              /* 0: the encoder is absolute */
} tq_axis;

typedef struct {
  uint32_t axes, queue;          /* queue: power of two */
  uint32_t hold_cycles, pad;
  double watchdog_s, path_stop_s;
  tq_axis axis[TQ_MAX_AXES];
  double motor_from_joint[TQ_MAX_AXES][TQ_MAX_AXES]; /* identity where every motor moves its own axis */
  double joint_from_motor[TQ_MAX_AXES][TQ_MAX_AXES];
} tq_config;

typedef struct {
  uint32_t magic, version, bytes, pad;
  /* helper -> component */
  uint64_t beat;                 /* changes while bridge and helper live */
  uint64_t asked;                /* command slot: ticket */
  uint32_t command, argument;    /* CardCommand; session */
  uint64_t queue_head;
  double hold_torque[TQ_MAX_AXES];
  tq_config config;              /* taken over by an Open */
  uint32_t stop, pad2;           /* StopKind: raised by the helper, taken to 0 by the component */
  uint64_t setpoint_head, feedback_tail;
  /* component -> helper */
  uint64_t answered;
  tq_status answer, cause;
  uint64_t cycle, setpoint_tail, feedback_head;
  uint64_t executed, voided, faults, feedback_dropped, overruns;
  int64_t worst_lateness_ns;
  uint32_t state, session, last_session, homed;
  double peak_following[TQ_MAX_AXES];
  int64_t period_ns;
  tq_setpoint setpoint[TQ_MAX_QUEUE];
  tq_feedback feedback[TQ_FEEDBACK];
} tq_block;

#define TQ_LOAD(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define TQ_STORE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELEASE)
