#!/usr/bin/env python3
"""Statics and dynamics of industrial robots in five lessons, on a running torqued.

    PYTHONPATH=build/release/python /usr/bin/python3 client/examples/tutorial.py [--figures FOLDER]

Each lesson computes something by hand, asks the server, and insists that both agree.
"""
import argparse
import pathlib

import numpy as np

from torqued import Client, Payload, Wrench
from torqued.plot import plot_torques

G = 9.81


def agree(name, server, hand, tolerance=1e-9):
    server, hand = np.asarray(server, float), np.asarray(hand, float)
    assert np.allclose(server, hand, rtol=tolerance, atol=tolerance), f"{name}: {server} is not {hand}"
    print(f"  {name}: {np.array2string(server + 0.0, precision=6, suppress_small=True)}")


def lesson_1_jacobian(client):
    """The two-link arm (l1 = l2 = 0.5 m): hand speed from joint rates, and joint rates from hand speed."""
    robot, l1, l2 = client.robot("two-link"), 0.5, 0.5
    q1, q2 = q = np.deg2rad([30, -60])
    s1, c1, s12, c12 = np.sin(q1), np.cos(q1), np.sin(q1 + q2), np.cos(q1 + q2)
    by_hand = [[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]]
    J = robot.jacobian(q)[:2]
    agree("Jacobian", J, by_hand)
    agree("joint rates for the hand to move at (-1, 0) m/s", np.linalg.solve(J, [-1, 0]), [2, -4])


def lesson_2_singularity(client):
    """Stretched out, the arm cannot move its hand along itself, however fast the joints turn."""
    report = client.robot("two-link").singularity(np.deg2rad([30, 0]), rows=[0, 1])
    agree("rank", report.rank, 1)
    lost = np.array(report.lost_directions)
    agree("lost direction (along the arm)", lost * np.sign(lost[0]), [np.cos(np.pi / 6), np.sin(np.pi / 6)])
    agree("det J at 30, -60 deg", np.linalg.det(client.robot("two-link").jacobian(np.deg2rad([30, -60]))[:2]),
          0.25 * np.sin(np.deg2rad(-60)))


def lesson_3_statics(client):
    """tau = J^T F: who pushes whom decides the sign. And a weightless three-link arm that carries 10 kg."""
    q = np.deg2rad([30, -60])
    tau = client.robot("two-link").static_torque(q, Wrench(on_robot=[-10, 0, 0]), terms=["springs"])
    agree("torques against the environment's (-10, 0) N", tau, [0, 2.5])
    load = Payload(mass=10)
    tau = client.robot("three-link").static_torque(np.deg2rad([60, -60, -90]), payloads=[load])
    agree("torques under a load of 10 kg", tau, [12 * G, 8 * G, 0])


def lesson_4_dynamics(client):
    """The equation of motion M a + C v + g of the two-link arm, in closed form, and a Puma's torque taken apart."""
    robot = client.robot("two-link")
    m1, m2, l1, lc1, lc2, i1, i2 = 4, 3, 0.5, 0.25, 0.25, 4 * 0.25 / 12, 3 * 0.25 / 12
    q, v = np.array([0.4, 0.9]), np.array([1.5, -0.7])
    s2, c2, c1, c12 = np.sin(q[1]), np.cos(q[1]), np.cos(q[0]), np.cos(q[0] + q[1])
    d12 = m2 * (lc2**2 + l1 * lc2 * c2) + i2
    M = [[m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * c2) + i1 + i2, d12], [d12, m2 * lc2**2 + i2]]
    h = -m2 * l1 * lc2 * s2
    eom = robot.equation_of_motion(q, v)
    agree("mass matrix", eom.mass_matrix, M)
    agree("centripetal and Coriolis torque", eom.velocity_torque,
          [h * (2 * v[0] * v[1] + v[1] ** 2), -h * v[0] ** 2])
    agree("gravity torque", eom.gravity, [(m1 * lc1 + m2 * l1) * G * c1 + m2 * lc2 * G * c12, m2 * lc2 * G * c12])

    qn, ones = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0], np.ones(6)
    puma = client.robot("puma560")
    print("  Puma 560, joint 1 at v = a = 1:")
    for kind, j, k, _, effort in puma.torque_terms(qn, ones, ones)[0][:5]:
        indices = "".join(f" {i + 1}" for i in (j, k) if i >= 0)
        print(f"    {effort:10.3f} Nm  {kind}{indices}")
    agree("torque of joint 1 (published: 32.495243)", puma.inverse_dynamics(qn, ones, ones)[0], 32.495243, 1e-6)


def lesson_5_move(client, figures):
    """A quintic move of the UR5e, judged by its torques: one batch, 200 states."""
    robot = client.robot("ur5e")
    start, goal, duration = np.array([0, -1.57, 1.2, 0, 0.5, 0]), np.array([1.2, -0.9, 0.6, -0.4, 0.9, 0.3]), 1.5
    t = np.linspace(0, duration, 200)
    x = t / duration
    s = 10 * x**3 - 15 * x**4 + 6 * x**5
    sd = (30 * x**2 - 60 * x**3 + 30 * x**4) / duration
    sdd = (60 * x - 180 * x**2 + 120 * x**3) / duration**2
    d = goal - start
    tau = robot.inverse_dynamics(start + np.outer(s, d), np.outer(sd, d), np.outer(sdd, d))
    limits = np.array([c.effort for c in robot.describe().coordinates])
    share = np.abs(tau).max(axis=0) / limits
    assert share.max() < 1, "the move asks more than the drives give"
    print(f"  largest share of the torque limits: {share.max():.3f} (joint {share.argmax() + 1})")
    agree("torque at rest before the move is gravity alone", tau[0], robot.static_torque(start))
    if figures:
        path = pathlib.Path(figures) / "tutorial_torques.svg"
        plot_torques(path, t, tau, robot.joint_names, limits, "UR5e, quintic move in 1.5 s")
        print(f"  wrote {path.name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", help="HOST:PORT; default $TORQUED_SERVER or 127.0.0.1:50051")
    parser.add_argument("--figures", help="folder for the pictures")
    arguments = parser.parse_args()
    with Client(arguments.server) as client:
        lessons = [lesson_1_jacobian, lesson_2_singularity, lesson_3_statics, lesson_4_dynamics,
                   lambda c: lesson_5_move(c, arguments.figures)]
        titles = ["velocity Jacobian", "singularity", "statics", "dynamics", "a move"]
        for number, (title, lesson) in enumerate(zip(titles, lessons), 1):
            print(f"{number}. {title}")
            lesson(client)


if __name__ == "__main__":
    main()
