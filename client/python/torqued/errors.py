"""A call's failure as an exception that says what was wrong: the server's own words, its reason and its fields."""
import grpc

from . import error_details_pb2 as details

_DETAILS_KEY = "grpc-status-details-bin"


class TorquedError(Exception):
    """Base of all. `code` is grpc's, `reason` a stable word for programs, `metadata` what the text mentions,
    `fields` a list of (field, description)."""

    def __init__(self, message, code=None, reason="", metadata=None, fields=()):
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.fields = list(fields)


class InvalidArgument(TorquedError, ValueError):
    """A value is malformed, of the wrong length or not finite."""


class NotFound(TorquedError, LookupError):
    """No such model, revision or frame."""


class FailedPrecondition(TorquedError):
    """The model lacks what is asked, for instance inertias."""


class ResourceExhausted(TorquedError):
    """A queue, quota or size limit of the server."""


class PermissionDenied(TorquedError):
    """Not allowed, or not known to the server."""


class Unavailable(TorquedError, ConnectionError):
    """The server is away or draining."""


class DeadlineExceeded(TorquedError, TimeoutError):
    """The answer did not come in time: a longer `timeout`, or a smaller question."""


class Closed(TorquedError, ConnectionError):
    """The client was closed."""


_CLASSES = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.OUT_OF_RANGE: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.UNAUTHENTICATED: PermissionDenied,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
}


def from_rpc_error(error):
    """grpc.RpcError -> TorquedError, with the details the server attached."""
    reason, metadata, fields = "", {}, []
    for key, value in error.trailing_metadata() or ():
        if key != _DETAILS_KEY:
            continue
        status = details.Status()
        status.ParseFromString(value)
        for item in status.details:
            if item.Is(details.ErrorInfo.DESCRIPTOR):
                info = details.ErrorInfo()
                item.Unpack(info)
                reason, metadata = info.reason, dict(info.metadata)
            elif item.Is(details.BadRequest.DESCRIPTOR):
                bad = details.BadRequest()
                item.Unpack(bad)
                fields = [(v.field, v.description) for v in bad.field_violations]
    cls = _CLASSES.get(error.code(), TorquedError)
    return cls(error.details(), error.code(), reason, metadata, fields)


def from_stream_error(error):
    """The error of one item of a stream -> TorquedError."""
    codes = {code.value[0]: code for code in grpc.StatusCode}
    code = codes.get(error.code, grpc.StatusCode.UNKNOWN)
    return _CLASSES.get(code, TorquedError)(error.message, code, error.reason, error.metadata)
