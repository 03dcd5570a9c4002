"""What the tests share: the server that HOOKTAPE_TEST_URL and HOOKTAPE_TEST_KEY name, and deliveries to it."""

from __future__ import annotations

import json
import os
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable, Mapping, Optional, Union

from hooktape import EndpointClient, Hooktape
from hooktape.types import Endpoint

URL = os.environ["HOOKTAPE_TEST_URL"]
KEY = os.environ["HOOKTAPE_TEST_KEY"]


def deliver(
    endpoint: Endpoint, body: object = None, *, suffix: str = "", headers: Optional[Mapping[str, str]] = None
) -> str:
    """Sends an endpoint a delivery. Returns the id of the event."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"content-type": "application/json", **(headers or {})}
    request = urllib.request.Request(f"{URL}{endpoint['path']}{suffix}", data, given, method="POST")
    with urllib.request.urlopen(request) as answer:
        event_id = json.load(answer)["id"]
    assert isinstance(event_id, str)
    return event_id


class HooktapeTestCase(unittest.TestCase):
    hooktape = Hooktape(URL, KEY)

    def create(self) -> tuple[Endpoint, EndpointClient]:
        endpoint = self.hooktape.endpoints.create(self.id()[-100:])
        return endpoint, self.hooktape.endpoint(endpoint)


class FakeServer:
    """A server on this machine that calls ``handle`` for each request."""

    def __init__(self, handle: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.requests: list[str] = []
        seen = self.requests

        class Handler(BaseHTTPRequestHandler):
            def _any(self) -> None:
                seen.append(f"{self.command} {self.path}")
                handle(self)

            do_GET = do_POST = do_DELETE = _any

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def reply(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: Union[bytes, object],
    headers: Optional[Mapping[str, str]] = None,
) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)
