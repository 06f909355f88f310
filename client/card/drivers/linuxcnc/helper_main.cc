// torqued-linuxcnc: carries set-points, feedback and control calls between a bridge and the real-time component.
//
// One side is a card segment (segment.h) under --name, to which a bridge attaches as to every other card; the other is the component's
// RTAPI block (torqued_block.h). The set-point ring is mirrored, not drained: a set-point leaves the segment only when the
// component has executed it, so that Space() and the lead mean what they mean on every card.
// Links liblinuxcnchal and no gRPC. If it dies, the component's watchdog stops the robot.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>

#include "client/card/actuator_map.h"
#include "client/card/controlled_stop.h"
#include "client/card/drivers/linuxcnc/torqued_block.h"
#include "client/card/ring.h"
#include "client/card/segment.h"

// After our headers: it defines macros with short names.
#include <rtapi.h>
#include <hal.h>

namespace {

using namespace torqued;

static_assert(sizeof(tq_status) == sizeof(CardStatus) && sizeof(tq_setpoint) == sizeof(SetPoint) && sizeof(tq_feedback) == sizeof(Feedback));
static_assert(offsetof(tq_feedback, q_command) == offsetof(Feedback, q_command) && offsetof(tq_feedback, cause) == offsetof(Feedback, cause));
static_assert(TQ_MAX_AXES == kMaxAxes);

std::atomic<bool> quit{false};

tq_config ToBlock(const CardConfig& config) {
  tq_config out{};
  out.axes = config.axis_count();
  out.queue = config.setpoint_capacity;
  out.hold_cycles = config.hold_cycles;
  out.watchdog_s = config.watchdog_s;
  out.path_stop_s = config.path_stop_s;
  for (int i = 0; i < config.axis_count(); ++i) {
    const AxisConfig& a = config.axes[i];
    out.axis[i] = {a.lower, a.upper, a.velocity, a.acceleration, a.torque, ControlledStop::Deceleration(a, StopKind::kRamp),
                   ControlledStop::Deceleration(a, StopKind::kQuick), a.following.floor, a.following.at_full_speed,
                   a.following.window_s, a.start_tolerance, a.standstill, a.homing.switch_position, a.homing.search_speed,
                   a.homing.latch_speed, a.homing.home_position, a.homing.travel, a.homing.method == HomingMethod::kSwitch, 0};
  }
  const ActuatorMap map(config.actuator_matrix, config.axis_count());
  for (int i = 0; i < config.axis_count(); ++i)
    for (int j = 0; j < config.axis_count(); ++j) {
      out.motor_from_joint[i][j] = map.motor_from_joint(i, j);
      out.joint_from_motor[i][j] = map.joint_from_motor(i, j);
    }
  return out;
}

class Carrier {
 public:
  Carrier(tq_block* block, const SegmentView& segment) : b_(*block), s_(segment), h_(*segment.header), sent_(TQ_LOAD(b_.setpoint_tail)) {
    // Both rings go on where the component stands; what an earlier helper left is not offered again.
    h_.setpoints.head.store(sent_);
    h_.setpoints.tail.store(sent_);
    TQ_STORE(b_.setpoint_head, sent_);
    TQ_STORE(b_.feedback_tail, TQ_LOAD(b_.feedback_head));
    ticket_ = TQ_LOAD(b_.answered);
  }

  // One control call of the helper's own, before any bridge. False: not answered within a second.
  bool Own(CardCommand command) {
    b_.command = static_cast<std::uint32_t>(command);
    TQ_STORE(b_.asked, ++ticket_);
    for (int k = 0; k < 1000; ++k) {
      if (TQ_LOAD(b_.answered) == ticket_) return b_.answer.code == 0;
      usleep(1000);
    }
    return false;
  }

  void Carry() {
    TQ_STORE(b_.beat, h_.bridge_beat.load(std::memory_order_acquire));
    if (const std::uint32_t stop = h_.stop.exchange(0, std::memory_order_acquire)) {
      std::uint32_t now = __atomic_load_n(&b_.stop, __ATOMIC_RELAXED);
      while (now < stop && !__atomic_compare_exchange_n(&b_.stop, &now, stop, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
      }
    }
    CarrySetPoints();
    CarryCommand();
    CarryFeedback();
    CarryState();
  }

 private:
  void CarrySetPoints() {
    const std::uint64_t head = h_.setpoints.head.load(std::memory_order_acquire);
    const std::uint64_t capacity = s_.setpoint_capacity;
    if (head - sent_ <= capacity)
      for (; sent_ != head; ++sent_) std::memcpy(&b_.setpoint[sent_ & (capacity - 1)], &s_.setpoints[sent_ & (capacity - 1)], sizeof(SetPoint));
    TQ_STORE(b_.setpoint_head, sent_);
    h_.setpoints.tail.store(TQ_LOAD(b_.setpoint_tail), std::memory_order_release);
  }

  void CarryCommand() {
    CommandSlot& slot = h_.slot;
    const std::uint64_t asked = slot.asked.load(std::memory_order_acquire);
    if (asked == slot.answered.load(std::memory_order_relaxed)) return;
    if (!forwarded_) {
      b_.command = static_cast<std::uint32_t>(slot.command);
      b_.argument = slot.argument;
      b_.queue_head = slot.queue_head;
      std::copy(slot.hold_torque.begin(), slot.hold_torque.end(), b_.hold_torque);
      TQ_STORE(b_.asked, ++ticket_);
      forwarded_ = true;
      return;
    }
    if (TQ_LOAD(b_.answered) != ticket_) return;
    forwarded_ = false;
    std::memcpy(static_cast<void*>(&slot.answer), &b_.answer, sizeof(CardStatus));
    std::memcpy(static_cast<void*>(&slot.cause), &b_.cause, sizeof(CardStatus));
    CarryState();  // what the answer promises is visible before it
    h_.setpoints.tail.store(TQ_LOAD(b_.setpoint_tail), std::memory_order_release);
    slot.answered.store(asked, std::memory_order_release);
  }

  void CarryFeedback() {
    const std::uint64_t head = TQ_LOAD(b_.feedback_head);
    std::uint64_t tail = b_.feedback_tail;
    for (; tail != head; ++tail) {
      Feedback f;
      std::memcpy(static_cast<void*>(&f), &b_.feedback[tail & (TQ_FEEDBACK - 1)], sizeof(f));
      if (!RingPush(h_.feedback, s_.feedback, s_.feedback_capacity, f)) ++dropped_;
      if (tail + 1 == head) h_.newest.Write(f);
    }
    TQ_STORE(b_.feedback_tail, tail);
  }

  void CarryState() {
    h_.session.store(TQ_LOAD(b_.session), std::memory_order_release);
    h_.last_session.store(TQ_LOAD(b_.last_session), std::memory_order_release);
    h_.executed.store(TQ_LOAD(b_.executed), std::memory_order_relaxed);
    h_.voided.store(TQ_LOAD(b_.voided), std::memory_order_relaxed);
    h_.faults.store(TQ_LOAD(b_.faults), std::memory_order_relaxed);
    h_.overruns.store(TQ_LOAD(b_.overruns), std::memory_order_relaxed);
    h_.feedback_dropped.store(TQ_LOAD(b_.feedback_dropped) + dropped_, std::memory_order_relaxed);
    h_.worst_lateness_ns.store(TQ_LOAD(b_.worst_lateness_ns), std::memory_order_relaxed);
    for (int i = 0; i < kMaxAxes; ++i) h_.peak_following_error[i].store(b_.peak_following[i], std::memory_order_relaxed);
    h_.homed.store(TQ_LOAD(b_.homed), std::memory_order_release);
    h_.state.store(TQ_LOAD(b_.state), std::memory_order_release);
    h_.cycle.store(TQ_LOAD(b_.cycle), std::memory_order_release);
  }

  tq_block& b_;
  const SegmentView& s_;
  CardSegment& h_;
  std::uint64_t sent_, ticket_ = 0, dropped_ = 0;
  bool forwarded_ = false;
};

int Fail(const std::string& why, int code) {
  std::cerr << "torqued-linuxcnc: " << why << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name, config_path;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--name") name = argv[i + 1];
    if (std::string(argv[i]) == "--config") config_path = argv[i + 1];
  }
  if (name.empty() || config_path.empty())
    return Fail("usage: torqued-linuxcnc --name NAME --config card.yaml   (after 'loadrt torqued_card axes=N' and 'start')", 5);
  std::ifstream file(config_path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Fail("cannot read " + config_path, 5);
  const auto config = ReadCardConfig(text.str(), nullptr);
  if (!config.ok()) return Fail(std::string(config.status().message()), 5);
  if (config->setpoint_capacity > TQ_MAX_QUEUE) return Fail("setpoint_capacity: want at most 4096 for LinuxCNC", 5);

  const int component = hal_init(("torqued-linuxcnc-" + std::to_string(getpid())).c_str());
  if (component < 0) return Fail("LinuxCNC's HAL does not answer: is the realtime environment running?", 4);
  struct Exit {
    int id;
    ~Exit() { hal_exit(id); }
  } at_exit{component};
  const int memory = rtapi_shmem_new(TQ_BLOCK_KEY, component, sizeof(tq_block));
  void* place = nullptr;
  if (memory < 0 || rtapi_shmem_getptr(memory, &place) < 0) return Fail("cannot map the component's block", 4);
  auto* block = static_cast<tq_block*>(place);
  if (TQ_LOAD(block->magic) != TQ_BLOCK_MAGIC) return Fail("the component is not loaded: 'loadrt torqued_card axes=N' first", 4);
  if (block->version != TQ_BLOCK_VERSION || block->bytes != sizeof(tq_block)) return Fail("the component is of another version: compile it again", 4);

  auto segment = SharedSegment::Create(name, *config, "linuxcnc", "LinuxCNC HAL, real-time component torqued_card");
  if (!segment.ok()) return Fail(std::string(segment.status().message()), 4);
  block->config = ToBlock(*config);
  Carrier carrier(block, (*segment)->view());
  // Whatever an earlier helper began is over; the configuration is taken over by the next Open of a bridge.
  carrier.Own(CardCommand::kDisable);
  carrier.Own(CardCommand::kClose);
  const std::int64_t period = __atomic_load_n(&block->period_ns, __ATOMIC_ACQUIRE);
  if (period != 0 && std::abs(1e-9 * static_cast<double>(period) - config->cycle_s) > 0.01 * config->cycle_s)
    return Fail("cycle_s is " + std::to_string(config->cycle_s) + ", but the servo thread's period is " + std::to_string(period) + " ns", 5);

  std::signal(SIGINT, [](int) { quit = true; });
  std::signal(SIGTERM, [](int) { quit = true; });
  hal_ready(component);
  const timespec pause{0, std::min<long>(200000, static_cast<long>(1e9 * config->cycle_s / 5))};
  while (!quit.load(std::memory_order_relaxed) && TQ_LOAD(block->magic) == TQ_BLOCK_MAGIC) {
    carrier.Carry();
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  }
  carrier.Own(CardCommand::kDisable);
  return 0;
}
