"""Explains missing events: lists the events that did arrive, and the term of the filter that the nearest ones fail."""

from __future__ import annotations

from typing import List, Sequence

from ._api import Api, quoted
from ._durations import duration_text
from ._text import safe_line
from .errors import NearEvent, NotArrivedError
from .types import EventSummary, FeedPage, FilterTestResult

_MAX_READ = 100
_MAX_NEAREST = 3


def not_arrived(
    api: Api, endpoint_id: str, *, where: str, after: str, within: float, expected: int, found: int
) -> NotArrivedError:
    endpoint = f"/api/endpoints/{quoted(endpoint_id)}"
    page: FeedPage = api.call("GET", f"{endpoint}/feed", query={"after": after, "limit": _MAX_READ})
    arrived: Sequence[EventSummary] = page["events"]
    nearest = _nearest_of(api, endpoint, where, arrived) if where and arrived else []
    wanted = f" matching {safe_line(where)}" if where else ""
    time = f"within {duration_text(within)}"
    what = (
        f"no event{wanted} arrived {time}"
        if expected == 1
        else f"{found} of {expected} events{wanted} arrived {time}"
    )
    return NotArrivedError(_message(what, arrived, page["more"], nearest), arrived=arrived, nearest=nearest)


def _nearest_of(api: Api, endpoint: str, where: str, arrived: Sequence[EventSummary]) -> List[NearEvent]:
    """Events that fail a later term of the filter come first, because they passed more terms; then newer events."""
    tried: FilterTestResult = api.call("POST", f"{endpoint}/where/test", body={"where": where, "limit": _MAX_READ})
    ids = {event["id"] for event in arrived}
    near: List[NearEvent] = [
        {"event": one["event"], "clause": one["clause"]} for one in tried["unmatched"] if one["event"]["id"] in ids
    ]
    near.sort(key=lambda one: -where.rfind(one["clause"]))
    return near[:_MAX_NEAREST]


def _message(what: str, arrived: Sequence[EventSummary], more: bool, nearest: Sequence[NearEvent]) -> str:
    if not arrived:
        return f"{what}, and no other"
    lines = (
        [f"{_line_of(near['event'])}: fails {safe_line(near['clause'])}" for near in nearest]
        if nearest
        else [_line_of(event) for event in arrived[-_MAX_NEAREST:]]
    )
    count = "1 event" if len(arrived) == 1 and not more else f"{len(arrived)}{' or more' if more else ''} events"
    rest = len(arrived) - len(lines)
    return "\n".join(
        [f"{what}. {count} did:", *(f"  {line}" for line in lines), *([f"  and {rest} more"] if rest else [])]
    )


def _line_of(event: EventSummary) -> str:
    words = [event["id"], event["method"] or "?", event["path"] or "/"]
    if event["eventType"] is not None:
        words.append(event["eventType"])
    if event["platform"] is not None:
        words.append(f"from {event['platform']}")
    if event["verdict"] == "invalid":
        words.append("(invalid signature)")
    if event["refused"] is not None:
        words.append(f"(refused with {event['refused']})")
    return safe_line(" ".join(words))
