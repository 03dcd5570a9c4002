"""Tests that wait for webhooks: the client of Hooktape, a self-hosted webhook recorder."""

from .client import Endpoints, Hooktape
from .endpoint import Answers, EndpointClient
from .errors import ApiError, HooktapeError, NearEvent, NotArrivedError, UnreachableError
from .events import CapturedEvent, body_bytes

__all__ = [
    "Answers",
    "ApiError",
    "CapturedEvent",
    "EndpointClient",
    "Endpoints",
    "Hooktape",
    "HooktapeError",
    "NearEvent",
    "NotArrivedError",
    "UnreachableError",
    "body_bytes",
]
