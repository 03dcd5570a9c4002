"""One endpoint: its feed, waiting for its events, and its custom answers."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Callable, ContextManager, Iterator, Optional, Sequence, Union, overload

from ._api import Api, Query, quoted
from ._durations import Duration, seconds
from ._explain import not_arrived
from ._feed import feed_pages
from .errors import HooktapeError
from .events import CapturedEvent, to_captured_event
from .types import AnswerRule, AnswerRules, Endpoint, FeedPage


class EndpointClient:
    def __init__(self, api: Api, endpoint_id: str) -> None:
        self._api = api
        self.id = endpoint_id
        self.answers = Answers(api, endpoint_id)
        """The custom answers of the endpoint."""

    def get(self) -> Endpoint:
        endpoint: Endpoint = self._api.call("GET", f"/api/endpoints/{quoted(self.id)}")
        return endpoint

    def mark(self) -> str:
        """The position after the newest event, for ``after``."""
        query: Query = {"after": "now", "limit": 1}
        page: FeedPage = self._api.call("GET", f"/api/endpoints/{quoted(self.id)}/feed", query=query)
        return page["cursor"]

    @overload
    def capture(
        self,
        run: Callable[[], object],
        *,
        where: Optional[str] = None,
        at_least: int = 0,
        settle: Duration = "1s",
        within: Duration = "30s",
    ) -> list[CapturedEvent]: ...

    @overload
    def capture(
        self,
        run: None = None,
        *,
        where: Optional[str] = None,
        at_least: int = 0,
        settle: Duration = "1s",
        within: Duration = "30s",
    ) -> ContextManager[list[CapturedEvent]]: ...

    def capture(
        self,
        run: Optional[Callable[[], object]] = None,
        *,
        where: Optional[str] = None,
        at_least: int = 0,
        settle: Duration = "1s",
        within: Duration = "30s",
    ) -> Union[list[CapturedEvent], ContextManager[list[CapturedEvent]]]:
        """
        Marks the position, calls ``run``, and returns the events that arrived since, in the order in which they were
        stored. Waits until no more events have arrived for ``settle``, at most ``within`` after ``run`` has returned.
        Without ``run`` it is a context manager, whose list is filled at the end of the block. Raises NotArrivedError if
        fewer than ``at_least`` arrive.
        """
        capturing = self._capturing(where, at_least, seconds(settle, "settle"), seconds(within, "within"))
        if run is None:
            return capturing
        with capturing as captured:
            run()
        return captured

    @contextmanager
    def _capturing(
        self, where: Optional[str], at_least: int, settle: float, within: float
    ) -> Iterator[list[CapturedEvent]]:
        after = self.mark()
        captured: list[CapturedEvent] = []
        yield captured
        quiet_since = time.monotonic()
        end = quiet_since + within

        def deadline() -> float:
            return end if len(captured) < at_least else min(end, quiet_since + settle)

        for page in feed_pages(self._api, self.id, after=after, where=where, deadline=deadline):
            if page["events"]:
                captured.extend(to_captured_event(self.id, event) for event in page["events"])
                quiet_since = time.monotonic()
        if len(captured) < at_least:
            raise not_arrived(
                self._api,
                self.id,
                where=where or "",
                after=after,
                within=within,
                expected=at_least,
                found=len(captured),
            )

    def wait_for(self, where: str, *, within: Duration = "30s", after: str = "start") -> CapturedEvent:
        """
        The first event that matches the filter. Without ``after``, events that are already stored count, too.
        An empty filter matches all events. Raises NotArrivedError with the events that did arrive.
        """
        limit = seconds(within, "within")
        end = time.monotonic() + limit
        for page in feed_pages(self._api, self.id, after=after, where=where, deadline=lambda: end):
            for event in page["events"]:
                return to_captured_event(self.id, event)
        raise not_arrived(self._api, self.id, where=where, after=after, within=limit, expected=1, found=0)

    def feed(
        self,
        *,
        after: str = "start",
        where: Optional[str] = None,
        follow: bool = True,
        on_reconnect: Optional[Callable[[HooktapeError], object]] = None,
        on_truncated: Optional[Callable[[], object]] = None,
    ) -> Iterator[CapturedEvent]:
        """
        The events in the order in which they were stored, each once, even if the connection breaks or the server
        restarts. ``after`` is ``start``, ``now`` or a mark. With ``follow=False`` it ends with the newest stored event
        instead of waiting for more. ``on_truncated`` is called if retention has removed events before they were read.
        """
        pages = feed_pages(
            self._api,
            self.id,
            after=after,
            where=where,
            deadline=lambda: float("inf") if follow else 0.0,
            on_reconnect=on_reconnect,
        )
        for page in pages:
            if page["truncated"] and on_truncated:
                on_truncated()
            for event in page["events"]:
                yield to_captured_event(self.id, event)


class Answers:
    """The rules for an endpoint's custom answers."""

    def __init__(self, api: Api, endpoint_id: str) -> None:
        self._api = api
        self._path = f"/api/endpoints/{quoted(endpoint_id)}/answers"

    def get(self) -> AnswerRules:
        rules: AnswerRules = self._api.call("GET", self._path)
        return rules

    def set(self, rules: Union[Sequence[AnswerRule], AnswerRules]) -> AnswerRules:
        """Replaces all rules. The first matching rule answers a delivery; without one, senders get 200."""
        body = rules if isinstance(rules, dict) else {"rules": list(rules)}
        stored: AnswerRules = self._api.call("PUT", self._path, body=body)
        return stored

    def clear(self) -> None:
        self._api.call("DELETE", self._path)
