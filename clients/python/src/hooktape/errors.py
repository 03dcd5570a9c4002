"""The errors that the client raises."""

from __future__ import annotations

from typing import Optional, Sequence, TypedDict

from .types import EventSummary


class HooktapeError(Exception):
    """All errors of this package."""


class ApiError(HooktapeError):
    """The server refused. ``error`` is its own text."""

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
        """Of a filter that cannot be read: where in its text, in characters from 0."""
        self.nearest = nearest
        """With ``position``: the field that was probably meant."""
        self.retry_after = retry_after
        """Of 429 and 503: how long to wait, in seconds."""


class UnreachableError(HooktapeError, ConnectionError):
    """There was no answer: nothing listens there, the connection broke, or the time was over."""


class NearEvent(TypedDict):
    """An event that did not match, with the first term of the filter that it fails."""

    event: EventSummary
    clause: str


class NotArrivedError(HooktapeError, AssertionError):
    """The expected events did not arrive in time. The message says which ones did."""

    def __init__(
        self, message: str, *, arrived: Sequence[EventSummary], nearest: Sequence[NearEvent]
    ) -> None:
        super().__init__(message)
        self.arrived = arrived
        """Everything that arrived, oldest first; at most 100 events."""
        self.nearest = nearest
        """The up to three events that came nearest to the filter."""
