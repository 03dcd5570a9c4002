"""httpx-sse returns every message, even one without data. The stream must not send such messages."""

import os
import threading
import time

import httpx
from httpx_sse import connect_sse

ORIGIN = os.environ["ORIGIN"]
# Longer than the interval of the stream's keep-alive comments.
QUIET_SECONDS = 16

client = httpx.Client(headers={"Authorization": f"Bearer {os.environ['KEY']}"}, timeout=30)
created = client.post(f"{ORIGIN}/api/endpoints", json={"name": "httpx-sse"})
created.raise_for_status()
endpoint = created.json()


def deliver():
    for pause in (0.5, QUIET_SECONDS, 0):
        time.sleep(pause)
        httpx.post(endpoint["url"], json={"hello": "world"}).raise_for_status()


threading.Thread(target=deliver, daemon=True).start()
received = []
with connect_sse(client, "GET", f"{ORIGIN}/api/endpoints/{endpoint['id']}/stream") as source:
    for message in source.iter_sse():
        assert message.event == "event" and message.data, f"an empty message: {message!r}"
        assert message.json()["id"] == message.id
        received.append(message)
        if len(received) == 3:
            break
assert received[0].retry == 1000, received[0].retry

last = {"Last-Event-ID": received[0].id}
with connect_sse(client, "GET", f"{ORIGIN}/api/endpoints/{endpoint['id']}/stream", headers=last) as source:
    resumed = [message.id for _, message in zip(range(2), source.iter_sse())]
assert resumed == [message.id for message in received[1:]], resumed
client.delete(f"{ORIGIN}/api/endpoints/{endpoint['id']}").raise_for_status()
