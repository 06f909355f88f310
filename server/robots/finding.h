// What did reading a robot notice? Stable codes that programs can switch on, with the place and the number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torqued {

enum class Severity { kInfo, kWarning, kError };

struct Finding {
  std::string code;      // stable, UPPER_SNAKE: one of the constants below
  Severity severity = Severity::kInfo;
  std::string element;   // "link 'forearm'", "joint 'j2'", "robot 'ur5e'"
  int line = 0;          // in the source; 0: not known
  std::string message;   // what, and what was done about it
  std::string value;     // the number or name that it is about
};

// What to do with what the audit finds (API.md).
enum class Policy {
  kStrict,  // a physical impossibility refuses the model
  kWarn,    // kept as given, with findings
  kRepair,  // the nearest possible value is taken, and the finding says which
};

namespace finding {

// Physical: under Policy::kStrict they refuse the model.
inline constexpr char kNonphysicalInertia[] = "NONPHYSICAL_INERTIA";    // no mass distribution has this tensor
inline constexpr char kNegativeMass[] = "NEGATIVE_MASS";
inline constexpr char kInertiaWithoutMass[] = "INERTIA_WITHOUT_MASS";
inline constexpr char kMasslessMovingLink[] = "MASSLESS_MOVING_LINK";   // its joint moves no inertia: M is singular
inline constexpr char kUnitsSuspect[] = "UNITS_SUSPECT";                // a length or mass off by about 1000
inline constexpr char kLimitReversed[] = "LIMIT_REVERSED";              // lower > upper
inline constexpr char kLimitNegative[] = "LIMIT_NEGATIVE";              // a negative velocity or effort limit

// Missing or odd, never refused.
inline constexpr char kInertialMissing[] = "INERTIAL_MISSING";          // URDF link without <inertial>: mass 0
inline constexpr char kInertiaUnknown[] = "INERTIA_UNKNOWN";            // no torques can be computed
inline constexpr char kLimitMissing[] = "LIMIT_MISSING";
inline constexpr char kLimitEmptyRange[] = "LIMIT_EMPTY_RANGE";         // lower = upper
inline constexpr char kLimitFolded[] = "LIMIT_FOLDED";                  // a mimic joint's limit narrows its driver's
inline constexpr char kEffortZero[] = "EFFORT_ZERO";                    // taken as unknown
inline constexpr char kVelocityZero[] = "VELOCITY_ZERO";                // taken as unknown
inline constexpr char kAxisNotUnit[] = "AXIS_NOT_UNIT";                 // normalised
inline constexpr char kFrictionFolded[] = "FRICTION_FOLDED";            // a mimic joint's friction acts on its driver
inline constexpr char kUnusedWorldMass[] = "UNUSED_WORLD_MASS";         // mass that never moves
inline constexpr char kUnknownElement[] = "UNKNOWN_ELEMENT";            // ignored
inline constexpr char kMeshIgnored[] = "MESH_IGNORED";
inline constexpr char kToolFrameGuessed[] = "TOOL_FRAME_GUESSED";
inline constexpr char kRotorReflectedOnly[] = "ROTOR_REFLECTED_ONLY";   // no place is given: J G^2 only
inline constexpr char kTransmissionIgnored[] = "TRANSMISSION_IGNORED";
inline constexpr char kEstimatedValues[] = "ESTIMATED_VALUES";
inline constexpr char kNameDuplicate[] = "NAME_DUPLICATE";              // a link and a joint share a name
inline constexpr char kNotOrthonormal[] = "ROTATION_NOT_ORTHONORMAL";   // orthonormalised

// Other tools read the same file differently.
inline constexpr char kReaderJointOrder[] = "READER_JOINT_ORDER";
inline constexpr char kReaderMimic[] = "READER_MIMIC";
inline constexpr char kReaderMissingInertial[] = "READER_MISSING_INERTIAL";
inline constexpr char kReaderInertiaRounding[] = "READER_INERTIA_ROUNDING";
inline constexpr char kReaderRootInertia[] = "READER_ROOT_INERTIA";
inline constexpr char kReaderInertialRotation[] = "READER_INERTIAL_ROTATION";
inline constexpr char kReaderFriction[] = "READER_FRICTION";

}  // namespace finding

// True for codes that Policy::kStrict refuses.
bool IsPhysical(std::string_view code);

std::string_view SeverityName(Severity severity);  // "info", "warning", "error"

}  // namespace torqued
