"""One registered robot: the questions of the course as methods."""
import functools
import types as py_types

import numpy as np

from . import values
from .stream import Stream
from .v1 import dynamics_pb2 as dynamics
from .v1 import kinematics_pb2 as kinematics
from .v1 import statics_pb2 as statics
from .v1 import types_pb2 as types


_NUMBERS_PER_CALL = 1_000_000  # of one array: well inside the server's limits


def _in_parts(method):
    """A large batch becomes several calls; the answer is one array all the same."""
    @functools.wraps(method)
    def call(self, q, *more, **named):
        if np.ndim(q) != 2:
            return method(self, q, *more, **named)
        q = np.asarray(q)
        step = max(1, _NUMBERS_PER_CALL // max(1, q.shape[1]))
        if len(q) <= step:
            return method(self, q, *more, **named)

        def part(value, begin):
            rows_of_batch = np.ndim(value) == 2 and len(value) == len(q)
            return value[begin:begin + step] if rows_of_batch else value
        return np.concatenate([
            method(self, q[begin:begin + step], *(part(x, begin) for x in more),
                   **{name: part(x, begin) for name, x in named.items()})
            for begin in range(0, len(q), step)])
    return call


class Robot:
    """A model on the server. Every method takes one state (a vector) or a batch (a matrix, one state per row) and
    answers in the same shape. Keyword arguments of every method: tool_frame, payloads (list of Payload), gravity (three
    numbers), terms (list of words: inertia velocity gravity rotor friction springs), wrenches (list of Wrench).

    `info` holds what the last answer said about itself on this object: revision, joint names, terms, gravity."""

    def __init__(self, client, name):
        self._client = client
        self.name = name if name.startswith("models/") else f"models/{name}"
        self.info = None

    def _context(self, tool_frame="", payloads=(), gravity=None, terms=(), wrenches=()):
        context = types.Context(model=self.name, tool_frame=tool_frame)
        context.payloads.extend(p.message() for p in payloads)
        context.terms.extend(values.choose(values.TERMS, t, "terms") for t in terms)
        context.wrenches.extend(w.message() for w in wrenches)
        if gravity is not None:
            context.gravity.CopyFrom(values.vector3(gravity))
        return context

    def _ask(self, stub, method, request):
        answer = self._client._call(stub, method, request)
        self.info = answer.info
        return answer

    def describe(self):
        """The model's message: coordinates with limits, links, joints, findings, capabilities."""
        return self._client.get_model(self.name)

    @property
    def joint_names(self):
        return [c.name for c in self.describe().coordinates]

    def forward_kinematics(self, q, frame="", **context):
        """Pose of `frame` in the world: (position, quaternion xyzw)."""
        request = kinematics.ComputeForwardKinematicsRequest(
            context=self._context(**context), positions=values.rows(q), frames=[frame] if frame else [])
        answer = self._ask("kinematics", "ComputeForwardKinematics", request)
        poses = np.array(answer.poses.values).reshape(-1, 7)
        if np.ndim(q) == 1:
            poses = poses[0]
        return poses[..., :3], poses[..., 3:]

    @_in_parts
    def jacobian(self, q, frame="", expression="world-aligned", **context):
        """6 x nv: rows linear 3, angular 3."""
        request = kinematics.ComputeJacobianRequest(
            context=self._context(**context), positions=values.rows(q), frame=frame,
            expression=values.choose(values.EXPRESSIONS, expression, "expression"))
        answer = self._ask("kinematics", "ComputeJacobian", request)
        return values.matrices(answer.jacobians, np.ndim(q) == 1)

    def singularity(self, q, frame="", rows=(), **context):
        """Report(s) with singular_values, rank, condition, manipulability, lost_directions, idle_motions, kind."""
        request = kinematics.AnalyzeSingularityRequest(
            context=self._context(**context), positions=values.rows(q), frame=frame,
            task=kinematics.TaskRows(rows=rows))
        reports = self._ask("kinematics", "AnalyzeSingularity", request).reports
        return reports[0] if np.ndim(q) == 1 else list(reports)

    def inverse_kinematics(self, position, quaternion=(0, 0, 0, 1), frame="", seed=None, rows=(), **context):
        """Joint positions that bring `frame` to the pose, best first: list of (q, branch). Empty: not reachable."""
        pose = np.concatenate([np.asarray(position, float), np.asarray(quaternion, float)])
        request = kinematics.ComputeInverseKinematicsRequest(
            context=self._context(**context), poses=types.Poses(values=pose), frame=frame,
            seeds=values.rows(seed), task=kinematics.TaskRows(rows=rows))
        result = self._ask("kinematics", "ComputeInverseKinematics", request).results[0]
        return [(np.array(s.positions), s.branch) for s in result.solutions]

    @_in_parts
    def static_torque(self, q, wrench=None, **context):
        """Torques that hold the robot still, [Nm] or [N]: gravity, springs and J^T F."""
        request = statics.ComputeStaticTorqueRequest(
            context=self._context(**context), positions=values.rows(q), wrench=wrench.message() if wrench else None)
        return self._efforts("statics", "ComputeStaticTorque", request, q)

    @_in_parts
    def inverse_dynamics(self, q, v=None, a=None, **context):
        """Torques of the motion (q, v, a), [Nm] or [N]."""
        request = dynamics.ComputeInverseDynamicsRequest(
            context=self._context(**context), positions=values.rows(q), velocities=values.rows(v),
            accelerations=values.rows(a))
        return self._efforts("dynamics", "ComputeInverseDynamics", request, q)

    def _efforts(self, stub, method, request, q):
        answer = self._ask(stub, method, request)
        return values.vectors(answer.efforts.values, answer.info.sample_count, np.ndim(q) == 1)

    @_in_parts
    def forward_dynamics(self, q, v=None, tau=None, **context):
        """Accelerations under the torques tau."""
        request = dynamics.ComputeForwardDynamicsRequest(
            context=self._context(**context), positions=values.rows(q), velocities=values.rows(v),
            efforts=values.rows(tau))
        answer = self._ask("dynamics", "ComputeForwardDynamics", request)
        return values.vectors(answer.accelerations.values, answer.info.sample_count, np.ndim(q) == 1)

    def equation_of_motion(self, q, v=None, **context):
        """Namespace with mass_matrix, coriolis_matrix, velocity_torque, gravity, friction, springs."""
        request = dynamics.ComputeEquationOfMotionRequest(
            context=self._context(**context), positions=values.rows(q), velocities=values.rows(v))
        answer = self._ask("dynamics", "ComputeEquationOfMotion", request)
        single, count = np.ndim(q) == 1, answer.info.sample_count
        parts = {name: values.vectors(getattr(answer, name).values, count, single)
                 for name in ("velocity_torque", "gravity", "friction", "springs")}
        for name in ("mass_matrix", "coriolis_matrix"):
            parts[name] = values.matrices(getattr(answer, name), single)
        return py_types.SimpleNamespace(**parts)

    def torque_terms(self, q, v=None, a=None, **context):
        """For each joint of one state: list of (kind, j, k, coefficient, newton-metres), largest first."""
        request = dynamics.ComputeTorqueBreakdownRequest(
            context=self._context(**context), positions=values.rows(q), velocities=values.rows(v),
            accelerations=values.rows(a))
        answer = self._ask("dynamics", "ComputeTorqueBreakdown", request)
        kind = dynamics.TorqueTerm.Kind.Name
        return [[(kind(t.kind)[5:].lower().replace("_", " "), t.j, t.k, t.coefficient, t.effort) for t in joint.terms]
                for joint in answer.joints]

    def path_dynamics(self, q, dq, ddq, **context):
        """m, c, g of tau = m u + c x + g along a path q(s), with x = sdot^2, u = sddot."""
        request = dynamics.ComputePathDynamicsRequest(
            context=self._context(**context), positions=values.rows(q), first_derivatives=values.rows(dq),
            second_derivatives=values.rows(ddq))
        answer = self._ask("dynamics", "ComputePathDynamics", request)
        count, single = answer.info.sample_count, np.ndim(q) == 1
        return tuple(values.vectors(getattr(answer, n).values, count, single) for n in ("m", "c", "g"))

    def stream(self, **context):
        """A control loop's stream of inverse dynamics: `with robot.stream() as s: tau = s.inverse_dynamics(q, v, a)`."""
        return Stream(self._client, self._context(**context))
