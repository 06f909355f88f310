/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where is zero? The component's homing: towards the switch, halt, back off slowly; the edge where the switch opens is the reference.
 *
 * Part of torqued_card.c, after torqued_motion.h. The rules are those of homing.h (in C++, for the simulated card); one axis after
 * the other, commands accelerate with the stop deceleration. A joint is what the encoders say plus `offset`.
 */
#pragma once

enum { HOME_SEARCH, HOME_HALT, HOME_BACK_OFF, HOME_GO };

static uint32_t home_left;
static int home_axis, home_phase;
static double home_travelled;

static void homing_begin(uint32_t mask) {
  home_left = mask;
  home_axis = -1;
}

/* Absolute encoders only get their bit. 0: no axis is left. */
static int homing_next(void) {
  int i;
  for (i = 0; i < axes; ++i) {
    if (!(home_left >> i & 1)) continue;
    home_left &= ~(1u << i);
    if (c.axis[i].homing_switch) {
      homed &= ~(1u << i);
      home_axis = i;
      home_phase = HOME_SEARCH;
      home_travelled = 0;
      return 1;
    }
    homed |= 1u << i;
  }
  return 0;
}

/* The fastest approach that can still stop at distance d, at most the search speed, one cycle of margin. */
static double homing_approach(const tq_axis *a, double d) {
  const double brake = a->stop_deceleration;
  double speed = sqrt(2 * brake * fabs(d) + 0.25 * brake * brake * h * h) - 0.5 * brake * h;
  if (speed > fabs(a->search_speed)) speed = fabs(a->search_speed);
  if (speed > fabs(d) / h) speed = fabs(d) / h;
  return d < 0 ? -speed : speed;
}

static void homing_step(uint32_t switches) {
  const tq_axis *a;
  double wanted = 0, before, dv, step;
  int i = home_axis, pressed;
  memcpy(ff, hold, sizeof(ff));
  if (i < 0) {
    if (!homing_next()) {
      state = READY;
      return;
    }
    i = home_axis;
  }
  a = &c.axis[i];
  pressed = switches >> i & 1;
  switch (home_phase) {
    case HOME_SEARCH:
      wanted = a->search_speed;
      if (pressed) home_phase = HOME_HALT;
      break;
    case HOME_HALT:
      if (vc[i] == 0) home_phase = HOME_BACK_OFF;
      break;
    case HOME_BACK_OFF:
      wanted = a->search_speed > 0 ? -a->latch_speed : a->latch_speed;
      if (!pressed) {
        const double found = a->switch_position - q[i];
        offset[i] += found;
        q[i] += found;
        q_before[i] += found;
        qc[i] += found;
        homed |= 1u << i;
        home_phase = HOME_GO;
        home_travelled = 0;
      }
      break;
    default:
      wanted = homing_approach(a, a->home_position - qc[i]);
      if (fabs(a->home_position - qc[i]) < 1e-9 && fabs(vc[i]) <= a->stop_deceleration * h) {
        vc[i] = 0;
        home_axis = -1;
        return;
      }
  }
  before = vc[i];
  dv = a->stop_deceleration * h;
  vc[i] += wanted - before > dv ? dv : wanted - before < -dv ? -dv : wanted - before;
  step = 0.5 * h * (vc[i] + before);
  if (home_phase == HOME_GO) { /* never past the home position within a cycle */
    const double d = a->home_position - qc[i];
    step = h * vc[i];
    if (fabs(step) >= fabs(d) && step * d >= 0) step = d;
  }
  qc[i] += step;
  home_travelled += fabs(step);
  if (home_travelled > a->travel) trip_ramp(status(E_HOMING_FAILED, i, home_travelled, a->travel));
}
