"""The errors that the client raises."""

from __future__ import annotations

from typing import Optional, Sequence, TypedDict

from .types import EventSummary


class HooktapeError(Exception):
    """All errors of this package."""


class ApiError(HooktapeError):
    """The server refused. ``error`` is the server's text."""

    def __init__(
        self,
        request: str,
        status: int,
        error: str,
        *,
        position: Optional[int] = None,
        nearest: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{request}: {status} {error}")
        self.status = status
        self.error = error
        self.position = position
        """For an invalid filter: the position of the problem, in characters from 0."""
        self.nearest = nearest
        """With ``position``: the field that was probably meant."""
        self.retry_after = retry_after
        """For 429 and 503: how long to wait, in seconds."""


class UnreachableError(HooktapeError, ConnectionError):
    """There was no response: no server listens there, the connection broke, or the request timed out."""


class NearEvent(TypedDict):
    """An event that did not match, with the first term of the filter that it fails."""

    event: EventSummary
    clause: str


class NotArrivedError(HooktapeError, AssertionError):
    """The expected events did not arrive in time. The message lists the events that did arrive."""

    def __init__(
        self, message: str, *, arrived: Sequence[EventSummary], nearest: Sequence[NearEvent]
    ) -> None:
        super().__init__(message)
        self.arrived = arrived
        """All events that arrived, oldest first; at most 100."""
        self.nearest = nearest
        """Up to three events that nearly match the filter."""
