"""Prints the ids of the events of an endpoint as they come: ``read_feed.py URL KEY ENDPOINT COUNT``."""

import sys

from hooktape import Hooktape

url, key, endpoint, count = sys.argv[1:]
feed = Hooktape(url, key).endpoint(endpoint).feed(
    after="start", on_reconnect=lambda error: print(f"reconnect {type(error).__name__}", file=sys.stderr)
)
for number, event in enumerate(feed, start=1):
    print(event["id"], flush=True)
    if number == int(count):
        break
