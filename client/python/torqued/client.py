"""The connection to a server, and its models."""
import os

import grpc

from . import errors
from .robot import Robot
from .v1 import dynamics_pb2_grpc, kinematics_pb2_grpc, models_pb2_grpc, server_pb2_grpc, statics_pb2_grpc
from .v1 import models_pb2 as models
from .v1 import server_pb2 as server
from .v1 import stream_pb2_grpc

_MAX_BYTES = 64 << 20
_POLICIES = {"strict": models.POLICY_STRICT, "warn": models.POLICY_WARN, "repair": models.POLICY_REPAIR}


class Client:
    """Talks to one `torqued`. Use as a context manager. Safe to share among threads.

    target: "HOST:PORT" or "unix:PATH", by default $TORQUED_SERVER or 127.0.0.1:50051; timeout: seconds for every call; credentials: grpc.ChannelCredentials for TLS."""

    def __init__(self, target=None, timeout=10.0, credentials=None):
        self.timeout = timeout
        self.target = target = target or os.environ.get("TORQUED_SERVER") or "127.0.0.1:50051"
        options = [("grpc.max_receive_message_length", _MAX_BYTES), ("grpc.max_send_message_length", _MAX_BYTES),
                   ("grpc.enable_http_proxy", 0), ("grpc.keepalive_time_ms", 30000)]
        if credentials is None:
            self._channel = grpc.insecure_channel(target, options)
        else:
            self._channel = grpc.secure_channel(target, credentials, options)
        self._stubs = {
            "models": models_pb2_grpc.ModelServiceStub(self._channel),
            "kinematics": kinematics_pb2_grpc.KinematicsServiceStub(self._channel),
            "statics": statics_pb2_grpc.StaticsServiceStub(self._channel),
            "dynamics": dynamics_pb2_grpc.DynamicsServiceStub(self._channel),
            "stream": stream_pb2_grpc.StreamServiceStub(self._channel),
            "server": server_pb2_grpc.ServerServiceStub(self._channel),
        }

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self._channel.close()

    def _call(self, stub, method, request):
        try:
            return getattr(self._stubs[stub], method)(request, timeout=self.timeout)
        except grpc.RpcError as error:
            raise errors.from_rpc_error(error) from None
        except ValueError as error:  # what grpc says of a closed channel
            if "closed channel" in str(error):
                raise errors.Closed("the client was closed") from None
            raise

    def robot(self, name):
        """A registered robot: "ur5e", or "models/ur5e/revisions/0123456789ab" for always the same one."""
        return Robot(self, name)

    def list_models(self):
        """All models' messages."""
        token, out = "", []
        while True:
            answer = self._call("models", "ListModels", models.ListModelsRequest(page_token=token))
            out.extend(answer.models)
            token = answer.next_page_token
            if not token:
                return out

    def get_model(self, name, with_source=True):
        name = name if name.startswith("models/") else f"models/{name}"
        view = models.MODEL_VIEW_FULL if with_source else models.MODEL_VIEW_BASIC
        return self._call("models", "GetModel", models.GetModelRequest(name=name, view=view)).model

    def add_model(self, source, model_id="", policy="warn", floating=False, validate_only=False):
        """Registers URDF or YAML text; the answer's `findings` say what the audit noticed. Returns (Robot, findings)."""
        base = models.BASE_FLOATING if floating else models.BASE_UNSPECIFIED
        request = models.CreateModelRequest(
            model_id=model_id, validate_only=validate_only,
            source=models.ModelSource(text=source, base=base, policy=_POLICIES[policy]))
        model = self._call("models", "CreateModel", request).model
        return Robot(self, model.name), list(model.findings)

    def remove_model(self, name):
        name = name if name.startswith("models/") else f"models/{name}"
        self._call("models", "DeleteModel", models.DeleteModelRequest(name=name))

    def server_info(self):
        return self._call("server", "GetServerInfo", server.GetServerInfoRequest())
