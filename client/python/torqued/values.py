"""numpy arrays and small values <-> the messages of the contract."""
import dataclasses
from typing import Optional, Sequence

import numpy as np

from .v1 import types_pb2 as types

EXPRESSIONS = {"world-aligned": types.EXPRESSION_WORLD_ALIGNED, "body": types.EXPRESSION_BODY,
               "spatial": types.EXPRESSION_SPATIAL}
AXES = {"world": types.AXES_WORLD, "frame": types.AXES_FRAME}
TERMS = {"inertia": types.TERM_INERTIA, "velocity": types.TERM_VELOCITY, "gravity": types.TERM_GRAVITY,
         "rotor": types.TERM_ROTOR, "friction": types.TERM_FRICTION, "springs": types.TERM_SPRINGS}


def choose(table, word, what):
    if word not in table:
        raise ValueError(f"{what}: {word!r}, want one of {', '.join(table)}")
    return table[word]


@dataclasses.dataclass(frozen=True)
class Wrench:
    """Force [N] and moment [Nm] about the origin of `frame` (empty: the tool frame). Exactly one of `by_robot` and
    `on_robot` is given: who exerts it has no default."""
    by_robot: Optional[Sequence[float]] = None
    on_robot: Optional[Sequence[float]] = None
    frame: str = ""
    axes: str = "world"

    def message(self):
        if (self.by_robot is None) == (self.on_robot is None):
            raise ValueError("Wrench: give by_robot or on_robot, exactly one")
        given = self.by_robot if self.by_robot is not None else self.on_robot
        values = np.atleast_2d(np.asarray(given, dtype=float))
        if values.shape[1] == 3:
            values = np.hstack([values, np.zeros_like(values)])
        exerter = types.EXERTER_ROBOT if self.by_robot is not None else types.EXERTER_ENVIRONMENT
        return types.Wrenches(values=values.ravel().tolist(), frame=self.frame, exerter=exerter,
                              axes=choose(AXES, self.axes, "axes"))


@dataclasses.dataclass(frozen=True)
class Payload:
    """A rigid load on `frame` (empty: the tool frame): mass [kg], centre of mass [m] in that frame, and the inertia
    about it xx xy xz yy yz zz [kg m^2]."""
    mass: float
    com: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Optional[Sequence[float]] = None
    frame: str = ""

    def message(self):
        out = types.Payload(frame=self.frame, mass=self.mass, center_of_mass=vector3(self.com))
        if self.inertia is not None:
            xx, xy, xz, yy, yz, zz = self.inertia
            out.inertia.CopyFrom(types.InertiaTensor(xx=xx, xy=xy, xz=xz, yy=yy, yz=yz, zz=zz))
        return out


def vector3(v):
    x, y, z = v
    return types.Vector3(x=x, y=y, z=z)


def rows(values):
    """A state or a matrix of states -> JointVectors; None stays None (absent)."""
    if values is None:
        return None
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError("want real numbers, got complex ones")
    array = np.asarray(array, dtype=float)
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(f"want a vector or a matrix with one state per row, got shape {array.shape}")
    return types.JointVectors(values=array.ravel())


def vectors(values, samples, single):
    """Packed doubles -> (samples, width), or (width,) where the question was a single state."""
    array = np.array(values, dtype=float)
    width = array.size // samples if samples else 0
    return array if single else array.reshape(samples, width)


def matrices(message, single):
    array = np.array(message.values, dtype=float).reshape(-1, message.rows, message.cols)
    return array[0] if single else array
