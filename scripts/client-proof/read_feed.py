"""Prints the ids of an endpoint's events until the last one: ``read_feed.py URL KEY ENDPOINT``."""

import sys

from hooktape import Hooktape

url, key, endpoint = sys.argv[1:]
for event in Hooktape(url=url, key=key).endpoint(endpoint).feed(after="start"):
    print(event["id"])
    if event["path"] == "/last":
        break
