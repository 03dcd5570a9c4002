"""Uses the installed package as a test would: ``shop.py URL KEY DESTINATION``."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request

from hooktape import ApiError, Hooktape, NotArrivedError

url, key, destination = sys.argv[1:]
hooktape = Hooktape(url=url, key=key)

endpoint = hooktape.endpoints.create(name="shop")
assert endpoint["id"] in [one["id"] for one in hooktape.endpoints.list()]
inbox = hooktape.endpoint(endpoint["id"])


def deliver(body: object, path: str = "") -> int:
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}{endpoint['path']}{path}", data, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as answer:
        answer.close()
        return answer.code


with inbox.capture() as events:
    deliver({"type": "order.paid", "total": 7}, "/orders")
    deliver({"type": "order.shipped"})
assert [event["payload"]["type"] for event in events] == ["order.paid", "order.shipped"]

paid = inbox.wait_for("body.type:order.paid body.total>5", within="30s")
assert paid["id"] == events[0]["id"]
try:
    inbox.wait_for("body.type:order.paid body.total>7", within="100ms")
    raise SystemExit("wait_for did not fail")
except NotArrivedError as error:
    assert "POST /orders" in str(error) and "fails body.total>7" in str(error), error

ids = []
for event in inbox.feed(after="start", where="has:body.type"):
    ids.append(event["id"])
    if len(ids) == 2:
        break
assert ids == [event["id"] for event in events]

inbox.answers.set([{"first": 1, "answer": {"status": 500}}])
assert [deliver({}), deliver({})] == [500, 200]
inbox.answers.clear()
assert deliver({}) == 200

result = hooktape.send(paid["id"], to=destination, edit={"set": {"total": 8}})
assert result["ok"] and json.loads(result["responsePreview"]) == {"type": "order.paid", "total": 8}

hooktape.endpoints.delete(endpoint["id"])
try:
    inbox.get()
    raise SystemExit("the endpoint is still there")
except ApiError as error:
    assert error.status == 404
print("ok")
