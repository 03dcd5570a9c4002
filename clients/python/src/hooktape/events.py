"""Events in the form that the client returns, with parsed headers and payload."""

from __future__ import annotations

import base64
import json
from typing import Any, Literal, Optional, cast

from .types import EventSummary, FeedEvent


class CapturedEvent(EventSummary):
    """An event with its content. Fields that are None are damaged on the server's disk."""

    endpointId: str
    # the position after this event, for `after`
    cursor: str
    # without the "?"; None when there was none
    query: Optional[str]
    # in the order of arrival, names as they were sent
    rawHeaders: Optional[list[list[str]]]
    # names in lower case; repeated ones are joined with ", "
    headers: dict[str, str]
    # the body, in payloadEncoding
    payloadRaw: Optional[str]
    payloadEncoding: Optional[Literal["utf8", "base64"]]
    # the parsed JSON body; None when it is empty or not JSON
    payload: Any


def to_captured_event(endpoint_id: str, event: FeedEvent) -> CapturedEvent:
    raw_headers = event.get("rawHeaders")
    payload_raw = event.get("payloadRaw")
    encoding = event.get("payloadEncoding")
    captured = {
        **event,
        "endpointId": endpoint_id,
        "query": event.get("query"),
        "rawHeaders": raw_headers,
        "headers": _join_headers(raw_headers or []),
        "payloadRaw": payload_raw,
        "payloadEncoding": encoding,
        "payload": _parsed(payload_raw, encoding),
    }
    return cast(CapturedEvent, captured)


def body_bytes(event: CapturedEvent) -> bytes:
    """The exact bytes of the body. Raises ValueError if they are damaged on the server's disk."""
    raw = event["payloadRaw"]
    if raw is None:
        raise ValueError("the body of this event is damaged")
    return base64.b64decode(raw) if event["payloadEncoding"] == "base64" else raw.encode()


def _join_headers(raw_headers: list[list[str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in raw_headers:
        key = name.lower()
        joined[key] = f"{joined[key]}, {value}" if key in joined else value
    return joined


def _parsed(payload_raw: Optional[str], encoding: Optional[str]) -> Any:
    # Bytes that are not UTF-8 are not JSON.
    if payload_raw is None or encoding != "utf8":
        return None
    try:
        return json.loads(payload_raw)
    except (ValueError, RecursionError):
        return None
