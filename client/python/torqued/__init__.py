"""Torqued from Python: robot statics and dynamics over the network, numpy in and out.

    from torqued import Client
    with Client("127.0.0.1:50051") as client:
        print(client.robot("ur5e").static_torque([0.3, -1.2, 1.4, -0.7, 0.9, 0.5]))

Units are SI and radians. A state is a vector, a batch is a matrix with one state per row; answers have the same shape.
"""
from .client import Client
from .errors import (Closed, DeadlineExceeded, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied,
                     ResourceExhausted, TorquedError, Unavailable)
from .robot import Robot
from .values import Payload, Wrench

__all__ = ["Client", "Robot", "Payload", "Wrench", "TorquedError", "InvalidArgument", "NotFound", "FailedPrecondition",
           "ResourceExhausted", "PermissionDenied", "Unavailable", "DeadlineExceeded", "Closed"]
