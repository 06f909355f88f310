"""A bidirectional stream for a control loop: the model is resolved once, answers come in order."""
import queue

import grpc
import numpy as np

from . import errors, values
from .v1 import dynamics_pb2 as dynamics
from .v1 import stream_pb2 as stream_messages


class Stream:
    """Use as a context manager. One thread at a time. An error on one item raises and leaves the stream usable."""

    def __init__(self, client, context):
        self._client = client
        self._context = context
        self._requests = queue.SimpleQueue()
        self._sequence = 0
        self.server_nanoseconds = 0  # the server's own time for the last answer

    def __enter__(self):
        self._answers = self._client._stubs["stream"].StreamCompute(iter(self._requests.get, None))
        return self

    def __exit__(self, *unused):
        self._requests.put(None)
        self._answers.cancel()

    def inverse_dynamics(self, q, v=None, a=None):
        """Torques [Nm] or [N] of one state or a batch, as Robot.inverse_dynamics."""
        request = dynamics.ComputeInverseDynamicsRequest(
            positions=values.rows(q), velocities=values.rows(v), accelerations=values.rows(a))
        if self._sequence == 0:
            request.context.CopyFrom(self._context)
        answer = self._ask(stream_messages.StreamComputeRequest(inverse_dynamics=request)).inverse_dynamics
        return values.vectors(answer.efforts.values, answer.info.sample_count, np.ndim(q) == 1)

    def _ask(self, item):
        self._sequence += 1
        item.sequence = self._sequence
        self._requests.put(item)
        try:
            answer = next(self._answers)
        except StopIteration:
            raise errors.Unavailable("the server closed the stream") from None
        except grpc.RpcError as error:
            raise errors.from_rpc_error(error) from None
        if answer.sequence != self._sequence:
            raise errors.TorquedError(f"answer {answer.sequence} to question {self._sequence}")
        self.server_nanoseconds = answer.server_nanoseconds
        if answer.WhichOneof("response") == "error":
            raise errors.from_stream_error(answer.error)
        return answer
