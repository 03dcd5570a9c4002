"""
Reads an endpoint's feed page by page. The cursor moves only after a whole page has arrived, so no event is lost or
duplicated if the connection breaks or the server restarts.
"""

from __future__ import annotations

import math
import random
import time
from typing import Callable, Iterator, Literal, Optional

from ._api import Api, Query, TimedOut, quoted
from .errors import ApiError, HooktapeError, UnreachableError
from .types import FeedPage

_PAGE_SIZE = 100
# The server allows 25 s. Some proxies close connections that are silent for 30 s.
_MAX_WAIT = 20
_FIRST_BACKOFF = 0.1
_MAX_BACKOFF = 5.0


def feed_pages(
    api: Api,
    endpoint_id: str,
    *,
    after: str,
    where: Optional[str] = None,
    content: Literal["none", "full"] = "full",
    deadline: Callable[[], float],
    on_reconnect: Optional[Callable[[HooktapeError], object]] = None,
) -> Iterator[FeedPage]:
    """
    ``deadline`` is the ``time.monotonic()`` until which to wait for events, read before each request. After
    that, the stored events are read and the pages end. Raises ApiError if the server refuses,
    UnreachableError if it cannot be reached by the deadline.
    """
    failures = 0
    while True:
        left = deadline() - time.monotonic()
        wait = max(0, min(_MAX_WAIT, math.ceil(min(left, _MAX_WAIT))))
        query: Query = {"after": after, "where": where, "content": content, "limit": _PAGE_SIZE, "wait": wait}
        try:
            page = _read_page(api, endpoint_id, query, wait=wait, left=left)
        except (ApiError, UnreachableError) as error:
            if left <= 0 or not _is_passing(error):
                raise
            if on_reconnect:
                on_reconnect(error)
            backoff = min(_MAX_BACKOFF, _FIRST_BACKOFF * 2 ** min(failures, 10)) * random.uniform(0.5, 1)
            failures += 1
            given = error.retry_after if isinstance(error, ApiError) else None
            time.sleep(max(0.0, min(given or backoff, deadline() - time.monotonic())))
            continue
        failures = 0
        # Cut off at the deadline. Events that arrived until then are read without waiting.
        if page is None:
            continue
        after = page["cursor"]
        yield page
        # The page may have moved the deadline.
        if wait == 0 and not page["more"] and deadline() <= time.monotonic():
            return


def _read_page(api: Api, endpoint_id: str, query: Query, *, wait: int, left: float) -> Optional[FeedPage]:
    """None if no event had arrived by the deadline, which may be less than a second of waiting away."""
    path = f"/api/endpoints/{quoted(endpoint_id)}/feed"
    # Before the deadline, the caller retries.
    if left <= 0:
        last: FeedPage = api.call("GET", path, query=query)
        return last
    is_cut = left < wait
    try:
        page: FeedPage = (
            api.call("GET", path, query=query, timeout=left, retries=0)
            if is_cut
            else api.call("GET", path, query=query, wait=wait, retries=0)
        )
        return page
    except TimedOut:
        if is_cut:
            return None
        raise


def _is_passing(error: HooktapeError) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(error, UnreachableError) or (
        isinstance(error, ApiError) and error.status in (429, 502, 503, 504)
    )
