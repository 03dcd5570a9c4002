"""The client of a Hooktape server."""

from __future__ import annotations

from typing import Literal, Optional, Union, overload

from ._api import Api, quoted
from ._durations import Duration, seconds
from .endpoint import EndpointClient
from .types import Endpoint, EndpointList, EventDetail, Ok, ReplayDryRun, ReplayEdit, ReplayResult, ReplaySign

# The server waits up to HOOKTAPE_REPLAY_TIMEOUT, 30 s by default, for the destination.
_SEND_TIMEOUT = 120.0


class Hooktape:
    """It keeps no connection open, and may be used by several threads."""

    def __init__(self, url: str, key: str, *, timeout: Duration = "30s", retries: int = 5) -> None:
        """
        ``url`` is the server's origin, ``key`` an API key. ``timeout``: how long the server may be silent. ``retries``:
        how often a request that the server postpones is repeated. Raises ValueError.
        """
        self._api = Api(url, key, timeout=seconds(timeout, "timeout"), retries=retries)
        self.endpoints = Endpoints(self._api)

    def endpoint(self, endpoint: Union[str, Endpoint]) -> EndpointClient:
        """Makes no request. ``endpoint`` is an id, or a result of ``create`` or ``list``."""
        return EndpointClient(self._api, endpoint if isinstance(endpoint, str) else endpoint["id"])

    def event(self, event_id: str) -> EventDetail:
        """Everything about an event."""
        event: EventDetail = self._api.call("GET", f"/api/events/{quoted(event_id)}")
        return event

    @overload
    def send(
        self,
        event_id: str,
        *,
        to: Optional[str] = None,
        listener: Optional[str] = None,
        sign: Optional[ReplaySign] = None,
        edit: Optional[ReplayEdit] = None,
        append_path: bool = False,
        dry_run: Literal[False] = False,
    ) -> ReplayResult: ...

    @overload
    def send(
        self,
        event_id: str,
        *,
        to: Optional[str] = None,
        listener: Optional[str] = None,
        sign: Optional[ReplaySign] = None,
        edit: Optional[ReplayEdit] = None,
        append_path: bool = False,
        dry_run: Literal[True],
    ) -> ReplayDryRun: ...

    def send(
        self,
        event_id: str,
        *,
        to: Optional[str] = None,
        listener: Optional[str] = None,
        sign: Optional[ReplaySign] = None,
        edit: Optional[ReplayEdit] = None,
        append_path: bool = False,
        dry_run: bool = False,
    ) -> Union[ReplayResult, ReplayDryRun]:
        """
        The server sends an event to ``to``, or has the connected ``hooktape listen`` of the name ``listener`` send it
        to its own target: give one of the two. An error status of the destination is a result, not an error. Raises
        ApiError; its status is 502 if the destination cannot be reached, or if no such listener is connected.
        """
        given = {
            "url": to,
            "listener": listener,
            "sign": sign,
            "edit": edit,
            "appendPath": append_path or None,
            "dryRun": dry_run or None,
        }
        body = {name: value for name, value in given.items() if value is not None}
        path = f"/api/events/{quoted(event_id)}/replay"
        answer: Union[ReplayResult, ReplayDryRun] = self._api.call("POST", path, body=body, timeout=_SEND_TIMEOUT)
        return answer


class Endpoints:
    def __init__(self, api: Api) -> None:
        self._api = api

    def create(self, name: str) -> Endpoint:
        endpoint: Endpoint = self._api.call("POST", "/api/endpoints", body={"name": name})
        return endpoint

    def list(self) -> list[Endpoint]:
        answer: EndpointList = self._api.call("GET", "/api/endpoints")
        return answer["endpoints"]

    def get(self, endpoint_id: str) -> Endpoint:
        endpoint: Endpoint = self._api.call("GET", f"/api/endpoints/{quoted(endpoint_id)}")
        return endpoint

    def delete(self, endpoint_id: str, *, pinned: bool = False) -> Ok:
        """Deletes it with all its events. ``pinned``: even if some are pinned; otherwise that is 409."""
        query = {"pinned": "true" if pinned else None}
        ok: Ok = self._api.call("DELETE", f"/api/endpoints/{quoted(endpoint_id)}", query=query)
        return ok
