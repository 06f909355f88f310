#!/usr/bin/env python3
"""Does the Python package answer through a real server, in numpy, with errors that can be caught by type?

usage: client_test.py BIN_DIR SOURCE_DIR      (PYTHONPATH holds the built package)
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from server import Server  # noqa: E402

import torqued  # noqa: E402
from torqued.plot import plot_torques  # noqa: E402

BIN, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
# Puma 560, Corke's published case: q = qn, v = a = 1, with friction and without.
QN = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]
WITH_FRICTION = [32.495243, 60.866988, 17.743595, 1.454519, 1.299110, 0.713781]
WITHOUT = [1.962036, 37.785430, 6.673937, 0.191266, 0.205820, 0.194281]
UR5E_Q = [0.3, -1.2, 1.4, -0.7, 0.9, 0.5]
UR5E_G = [0, -34.303794779, -19.332162507, -1.260565279, 0.167147105, 0]


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(BIN, ROOT)
        cls.client = torqued.Client(cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.stop()

    def test_state_and_batch_have_the_question_s_shape(self):
        robot = self.client.robot("ur5e")
        one = robot.static_torque(UR5E_Q)
        self.assertEqual(one.shape, (6,))
        np.testing.assert_allclose(one, UR5E_G, atol=1e-8)
        self.assertTrue(robot.info.revision.startswith("models/ur5e/revisions/"))
        many = robot.static_torque(np.tile(UR5E_Q, (5, 1)))
        self.assertEqual(many.shape, (5, 6))
        np.testing.assert_array_equal(many, np.tile(one, (5, 1)))

    def test_published_puma(self):
        robot = self.client.robot("puma560")
        ones = np.ones(6)
        np.testing.assert_allclose(robot.inverse_dynamics(QN, ones, ones), WITH_FRICTION, atol=1e-5)
        terms = ["inertia", "velocity", "gravity", "rotor"]
        np.testing.assert_allclose(robot.inverse_dynamics(QN, ones, ones, terms=terms), WITHOUT, atol=1e-5)

    def test_two_link_jacobian_and_wrench(self):
        robot = self.client.robot("two-link")
        q = np.deg2rad([30, -60])
        J = robot.jacobian(q)  # l = 0.5: columns (0, l c1 + l c12), (l / 4, l c12) by hand
        np.testing.assert_allclose(J[:2], [[0, 0.25], [np.sqrt(3) / 2, np.sqrt(3) / 4]], atol=1e-12)
        # Textbook: environment on hand (-10, 0) needs tau = (0, 2.5).
        tau = robot.static_torque(q, torqued.Wrench(on_robot=[-10, 0, 0]), terms=["springs"])
        np.testing.assert_allclose(tau, [0, 2.5], atol=1e-12)
        position, _ = robot.forward_kinematics(q)
        np.testing.assert_allclose(position, [np.sqrt(3) / 2, 0, 0], atol=1e-12)

    def test_equation_forward_and_payload(self):
        robot = self.client.robot("ur5e")
        v, a = np.full(6, 0.4), np.full(6, 0.7)
        eom = robot.equation_of_motion(UR5E_Q, v)
        tau = robot.inverse_dynamics(UR5E_Q, v, a)
        np.testing.assert_allclose(eom.mass_matrix @ a + eom.velocity_torque + eom.gravity + eom.friction + eom.springs,
                                   tau, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(robot.forward_dynamics(UR5E_Q, v, tau), a, rtol=1e-9)
        loaded = robot.static_torque(UR5E_Q, payloads=[torqued.Payload(mass=2.0)])
        J = robot.jacobian(UR5E_Q)
        np.testing.assert_allclose(loaded - UR5E_G, J[2] * 2.0 * 9.81, atol=1e-8)

    def test_inverse_kinematics_reaches(self):
        robot = self.client.robot("ur5e")
        position, quaternion = robot.forward_kinematics(UR5E_Q)
        solutions = robot.inverse_kinematics(position, quaternion)
        self.assertGreater(len(solutions), 1)
        for q, branch in solutions:
            reached, _ = robot.forward_kinematics(q)
            np.testing.assert_allclose(reached, position, atol=1e-8, err_msg=branch)

    def test_torque_terms_add_up(self):
        robot = self.client.robot("puma560")
        ones = np.ones(6)
        sums = [sum(term[4] for term in joint) for joint in robot.torque_terms(QN, ones, ones)]
        np.testing.assert_allclose(sums, WITH_FRICTION, atol=1e-5)

    def test_errors_by_type(self):
        robot = self.client.robot("ur5e")
        with self.assertRaisesRegex(torqued.InvalidArgument, "5 values, want"):
            robot.static_torque([0.0] * 5)
        with self.assertRaises(torqued.InvalidArgument):
            robot.static_torque([np.nan] * 6)
        with self.assertRaises(torqued.NotFound) as caught:
            self.client.robot("no-such-robot").static_torque([0.0])
        self.assertTrue(caught.exception.reason)
        with self.assertRaisesRegex(torqued.FailedPrecondition, "link_1"):
            self.client.robot("irb2400").inverse_dynamics(np.zeros(6))
        with torqued.Client("127.0.0.1:1", timeout=2) as nobody, self.assertRaises(torqued.Unavailable):
            nobody.robot("ur5e").static_torque(UR5E_Q)
        with self.assertRaisesRegex(ValueError, r"got shape \(0, 6\)"):
            robot.static_torque(np.zeros((0, 6)))
        with self.assertRaisesRegex(ValueError, "complex"):
            robot.static_torque(np.zeros(6) + 1j)
        with torqued.Client(self.client.target, timeout=1e-6) as hasty, self.assertRaises(torqued.DeadlineExceeded):
            hasty.robot("ur5e").static_torque(UR5E_Q)
        with self.assertRaises(torqued.Closed):
            hasty.robot("ur5e").static_torque(UR5E_Q)

    def test_a_large_batch_is_split(self):
        robot, count = self.client.robot("two-link"), 1_200_003
        q = np.random.default_rng(1).uniform(-3, 3, (count, 2))
        torque = robot.static_torque(q)
        self.assertEqual(torque.shape, (count, 2))
        for row in (0, 499_999, 500_000, count - 1):
            np.testing.assert_array_equal(torque[row], robot.static_torque(q[row:row + 1])[0])

    def test_models(self):
        text = (ROOT / "deploy/robots/two-link.yaml").read_text()
        robot, _ = self.client.add_model(text, "my-arm")
        np.testing.assert_allclose(robot.jacobian([0.1, 0.2]), self.client.robot("two-link").jacobian([0.1, 0.2]))
        self.assertIn("models/my-arm", [m.name for m in self.client.list_models()])
        self.assertEqual(robot.joint_names, ["joint1", "joint2"])
        self.client.remove_model("my-arm")
        with self.assertRaises(torqued.NotFound):
            robot.jacobian([0.1, 0.2])

    def test_stream_survives_a_bad_item(self):
        robot = self.client.robot("puma560")
        ones = np.ones(6)
        with robot.stream() as stream:
            for _ in range(100):
                np.testing.assert_allclose(stream.inverse_dynamics(QN, ones, ones), WITH_FRICTION, atol=1e-5)
            with self.assertRaises(torqued.InvalidArgument):
                stream.inverse_dynamics([1.0])
            np.testing.assert_allclose(stream.inverse_dynamics(QN, ones, ones), WITH_FRICTION, atol=1e-5)
            self.assertGreater(stream.server_nanoseconds, 0)

    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "torques.svg"
            plot_torques(path, [0, 1], np.zeros((2, 2)), ["a", "b"], [1.0, None])
            self.assertIn("<svg", path.read_text()[:2000])


    def test_tutorial(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "client/examples/tutorial.py", "--server", self.server.address,
                                   "--figures", folder], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue((pathlib.Path(folder) / "tutorial_torques.svg").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
