"""
Requests to the REST API. Redirects are not followed, because they would carry the key to another host. A request that
the server postpones (429, or 503 with Retry-After) is repeated after that time, because the server has not executed it.
"""

from __future__ import annotations

import email.utils
import http.client
import ipaddress
import json
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import IO, Any, Dict, Mapping, Optional, Union

from ._durations import duration_text
from ._text import safe_line
from .errors import ApiError, UnreachableError

# A longer wait is left to the caller.
_MAX_RETRY_WAIT = 60.0
_FIRST_RETRY_WAIT = 0.5

Query = Mapping[str, Union[str, int, None]]


class TimedOut(UnreachableError):
    """The server did not respond in time."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: object, **_options: object) -> None:
        return None


class Api:
    """All calls raise ApiError if the server refuses, and UnreachableError without a response."""

    def __init__(self, url: str, key: str, *, timeout: float, retries: int) -> None:
        parsed = urllib.parse.urlsplit(url)
        if parsed.scheme not in ("http", "https") or not parsed.hostname:
            raise ValueError(f'url: {json.dumps(url)} is not a URL such as "http://localhost:4665"')
        if not key.strip():
            raise ValueError("key: an API key (htk_…) is needed")
        self._origin = f"{parsed.scheme}://{parsed.netloc.rpartition('@')[2]}"
        self._key = key.strip()
        self._timeout = timeout
        self._retries = retries
        # A proxy from the environment would look for the server on the proxy's own host.
        proxies = [urllib.request.ProxyHandler({})] if _is_loopback(parsed.hostname) else []
        self._opener = urllib.request.build_opener(_NoRedirects, *proxies)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[object] = None,
        wait: float = 0,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
    ) -> Any:
        # ``wait``: how long the server was asked to wait before it responds.
        limit = (self._timeout if timeout is None else timeout) + wait
        attempt = 0
        while True:
            try:
                return self._once(method, path, query=query, body=body, timeout=limit)
            except ApiError as error:
                pause = _retry_wait(method, error, attempt)
                allowed = self._retries if retries is None else retries
                if pause is None or pause > _MAX_RETRY_WAIT or attempt >= allowed:
                    raise
                time.sleep(pause)
                attempt += 1

    def _once(
        self, method: str, path: str, *, query: Optional[Query], body: Optional[object], timeout: float
    ) -> Any:
        name = f"{method} {path}"
        given = {key: value for key, value in (query or {}).items() if value is not None}
        suffix = f"?{urllib.parse.urlencode(given)}" if given else ""
        headers = {"authorization": f"Bearer {self._key}", "user-agent": "hooktape-python"}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self._origin}{path}{suffix}", data, headers, method=method)
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                text = answer.read()
        except urllib.error.HTTPError as answer:
            with answer:
                raise _refusal(name, answer) from None
        except (OSError, http.client.HTTPException) as cause:
            raise self._unreachable(name, cause, timeout) from cause
        try:
            return json.loads(text)
        except ValueError as cause:
            raise UnreachableError(f"{name}: this is not the answer of a Hooktape server") from cause

    def _unreachable(self, name: str, cause: Exception, limit: float) -> UnreachableError:
        inner = cause.reason if isinstance(cause, urllib.error.URLError) else cause
        # Before Python 3.10, a socket's timeout is not a TimeoutError.
        if isinstance(inner, (TimeoutError, socket.timeout)):
            return TimedOut(f"{name}: {self._origin} did not answer within {duration_text(limit)}")
        return UnreachableError(f"{name}: {self._origin} cannot be reached ({safe_line(str(inner) or repr(inner))})")


def quoted(part: str) -> str:
    """A segment of a path."""
    return urllib.parse.quote(part, safe="")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _retry_wait(method: str, error: ApiError, attempt: int) -> Optional[float]:
    """How long to wait before the request is repeated; None if it must not be repeated."""
    if error.status not in (429, 503):
        return None
    if error.retry_after is not None:
        return error.retry_after
    return _FIRST_RETRY_WAIT * 2**attempt if error.status == 429 or method == "GET" else None


def _refusal(name: str, answer: urllib.error.HTTPError) -> ApiError:
    if 300 <= answer.code <= 399:
        location = answer.headers.get("location")
        target = f" to {safe_line(location)}" if location else ""
        return ApiError(name, answer.code, f"the server redirects{target}: give that one as url")
    body = _error_body(answer)
    error, position, nearest = body.get("error"), body.get("position"), body.get("nearest")
    return ApiError(
        name,
        answer.code,
        error if isinstance(error, str) else "the server gave no reason",
        position=position if isinstance(position, int) else None,
        nearest=nearest if isinstance(nearest, str) else None,
        retry_after=_read_retry_after(answer.headers.get("retry-after")),
    )


def _error_body(answer: IO[bytes]) -> Dict[str, Any]:
    try:
        body = json.loads(answer.read())
    except (ValueError, OSError, http.client.HTTPException):
        return {}
    return body if isinstance(body, dict) else {}


def _read_retry_after(value: Optional[str]) -> Optional[float]:
    """Seconds or a date (RFC 9110, 10.2.3)."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
