// Which torques hold a UR5e still, empty and with 3 kg in the hand?   usage: hold_still [HOST:PORT]
#include <iostream>

#include "client/torqued/client.h"

int main(int argc, char** argv) {
  torqued::ClientOptions options;
  if (argc > 1) options.server = argv[1];
  const auto client = torqued::Client::Open(options);
  if (!client.ok()) return std::cerr << client.status() << "\n", 1;

  Eigen::VectorXd q(6);
  q << 0.3, -1.2, 1.4, -0.7, 0.9, 0.5;  // radians, in the order of the model's joints
  const auto empty = (*client)->StaticTorque("ur5e", q);
  const auto loaded = (*client)->StaticTorque(
      torqued::Question("ur5e").Payload("tool0", 3.0, Eigen::Vector3d(0, 0, 0.05)), q);
  for (const auto* torque : {&empty, &loaded})
    if (!torque->ok()) return std::cerr << torque->status() << "\n", 1;

  std::cout << "empty [Nm]:  " << empty->transpose() << "\n"
            << "loaded [Nm]: " << loaded->transpose() << "\n";
}
