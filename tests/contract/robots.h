// Small robots for the contract tests, as a client would send them.
#pragma once

#include <string>

namespace torqued::testing {

// A planar arm of two revolute joints about z, gravity along -y does nothing to it: made to hang by its axes.
inline std::string TwoLink(double mass = 1.0) {
  const std::string m = std::to_string(mass);
  const auto link = [&](const std::string& name) {
    return "<link name='" + name + "'><inertial><origin xyz='0.5 0 0'/><mass value='" + m +
           "'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.02'/></inertial></link>";
  };
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child, const char* x) {
    return "<joint name='" + name + "' type='revolute'><parent link='" + parent + "'/><child link='" + child +
           "'/><origin xyz='" + x + " 0 0'/><axis xyz='0 -1 0'/><limit lower='-3' upper='3' velocity='2' effort='50'/></joint>";
  };
  return "<robot name='two'><link name='base'/>" + link("upper") + link("fore") + joint("shoulder", "base", "upper", "0") +
         joint("elbow", "upper", "fore", "1") + "</robot>";
}

// The same without any inertia.
inline std::string TwoLinkWithoutInertia() {
  return "<robot name='bare'><link name='base'/><link name='upper'/><link name='fore'/>"
         "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/></joint>"
         "<joint name='elbow' type='continuous'><parent link='upper'/><child link='fore'/><origin xyz='1 0 0'/>"
         "<axis xyz='0 0 1'/></joint></robot>";
}

}  // namespace torqued::testing
