"""Endpoints, send, answers, and requests that fail or are put off."""

from __future__ import annotations

import json
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler
from typing import Optional

from hooktape import ApiError, Hooktape, UnreachableError
from harness import URL, FakeServer, HooktapeTestCase, deliver, reply


class Endpoints(HooktapeTestCase):
    def test_are_created_listed_read_and_deleted(self) -> None:
        endpoints = self.hooktape.endpoints
        made = endpoints.create("checkout")
        self.assertTrue(made["path"].startswith("/in/"))
        self.assertIn(made["id"], [one["id"] for one in endpoints.list()])
        self.assertEqual(endpoints.get(made["id"]), made)
        self.assertEqual(endpoints.delete(made["id"]), {"ok": True})
        with self.assertRaises(ApiError) as caught:
            endpoints.get(made["id"])
        self.assertEqual(caught.exception.status, 404)

    def test_a_refusal_has_the_status_and_the_text_of_the_server(self) -> None:
        with self.assertRaises(ApiError) as caught:
            self.hooktape.endpoints.create("")
        error = caught.exception
        self.assertEqual(error.status, 400)
        self.assertIn("name", error.error)
        self.assertEqual(str(error), f"POST /api/endpoints: 400 {error.error}")


class Answers(HooktapeTestCase):
    def test_are_what_senders_get_until_they_are_cleared(self) -> None:
        endpoint, handle = self.create()

        def status() -> int:
            request = urllib.request.Request(URL + endpoint["path"], b"{}")
            try:
                with urllib.request.urlopen(request) as answer:
                    return int(answer.status)
            except urllib.error.HTTPError as error:
                error.close()
                return error.code

        stored = handle.answers.set([{"first": 2, "answer": {"status": 500}}, {"answer": {"status": 202}}])
        self.assertEqual([rule.get("name") for rule in stored["rules"]], ["rule-1", "rule-2"])
        self.assertEqual(handle.answers.get(), stored)
        self.assertEqual([status(), status(), status()], [500, 500, 202])
        # What get() returns can be set again, and starts anew.
        handle.answers.set(stored)
        self.assertEqual(status(), 500)
        handle.answers.clear()
        self.assertEqual(handle.answers.get(), {"rules": []})
        self.assertEqual(status(), 200)
        with self.assertRaises(ApiError) as caught:
            handle.answers.set([{"answer": {"headers": [["Set-Cookie", "a=1"]]}}])
        self.assertEqual(caught.exception.status, 400)


class Send(HooktapeTestCase):
    def test_sends_an_event_edited(self) -> None:
        endpoint, _ = self.create()
        event_id = deliver(endpoint, {"amount": 1, "note": "kept"})
        bodies: list[object] = []

        def take(request: BaseHTTPRequestHandler) -> None:
            bodies.append(json.loads(request.rfile.read(int(request.headers["content-length"]))))
            reply(request, 202, b"thanks")

        with FakeServer(take) as destination:
            to = f"{destination.url}/hook"
            result = self.hooktape.send(event_id, to=to, edit={"set": {"amount": 2}})
            self.assertEqual((result["ok"], result["status"], result["responsePreview"]), (True, 202, "thanks"))
            self.assertEqual(bodies, [{"amount": 2, "note": "kept"}])
            dry = self.hooktape.send(event_id, to=to, dry_run=True)
            self.assertEqual((dry["dryRun"], dry["url"]), (True, to))
            with self.assertRaisesRegex(ApiError, "cannot_sign:"):
                self.hooktape.send(event_id, to=to, sign={"mode": "fresh", "secret": "x"})
            self.assertEqual(len(destination.requests), 1)
        with self.assertRaises(ApiError) as caught:
            self.hooktape.send(event_id, to=to)
        self.assertEqual(caught.exception.status, 502)
        with self.assertRaisesRegex(ApiError, "no listener of this name") as caught:
            self.hooktape.send(event_id, listener="laptop")
        self.assertEqual(caught.exception.status, 502)
        self.assertEqual(len(self.hooktape.event(event_id)["replays"]), 2)


class PutOff:
    """Answers with these statuses in turn, then with an empty list."""

    def __init__(self, *answers: "tuple[int, Optional[str]]") -> None:
        self._answers = list(answers)

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        if not self._answers:
            return reply(request, 200, {"endpoints": []})
        status, retry_after = self._answers.pop(0)
        reply(request, status, {"error": "later"}, {} if retry_after is None else {"retry-after": retry_after})


class Requests(unittest.TestCase):
    def test_one_that_was_put_off_is_sent_again_after_the_time_that_the_server_names(self) -> None:
        with FakeServer(PutOff((429, "0"), (503, "0"), (503, "Thu, 01 Jan 1970 00:00:00 GMT"))) as server:
            self.assertEqual(Hooktape(server.url, "htk_1").endpoints.list(), [])
        self.assertEqual(server.requests, ["GET /api/endpoints"] * 4)

    def test_a_change_is_not_repeated_when_the_server_does_not_say_that_it_was_put_off(self) -> None:
        with FakeServer(PutOff((503, None))) as server:
            with self.assertRaisesRegex(ApiError, "503 later"):
                Hooktape(server.url, "htk_1").endpoints.create("x")
        self.assertEqual(len(server.requests), 1)

    def test_a_wait_of_more_than_a_minute_is_left_to_the_caller_and_so_is_the_sixth(self) -> None:
        with FakeServer(PutOff((429, "61"))) as server:
            with self.assertRaises(ApiError) as caught:
                Hooktape(server.url, "htk_1").endpoints.list()
        self.assertEqual(caught.exception.retry_after, 61)
        with FakeServer(PutOff(*[(429, "0")] * 6)) as server:
            with self.assertRaises(ApiError):
                Hooktape(server.url, "htk_1").endpoints.list()
        self.assertEqual(len(server.requests), 6)

    def test_a_server_that_does_not_answer_is_an_error_after_the_timeout(self) -> None:
        def never(request: BaseHTTPRequestHandler) -> None:
            request.rfile.read(1)

        with FakeServer(never) as server:
            hooktape = Hooktape(server.url, "htk_1", timeout="30ms")
            with self.assertRaisesRegex(UnreachableError, "did not answer within 30 ms"):
                hooktape.endpoints.list()
        with self.assertRaisesRegex(UnreachableError, "cannot be reached"):
            hooktape.endpoints.list()

    def test_a_redirect_is_not_followed_because_it_would_carry_the_key_elsewhere(self) -> None:
        def redirect(request: BaseHTTPRequestHandler) -> None:
            reply(request, 302, b"", {"location": "https://elsewhere.test/"})

        with FakeServer(redirect) as server:
            with self.assertRaisesRegex(ApiError, "302 the server redirects to https://elsewhere.test/: give that one"):
                Hooktape(server.url, "htk_1").endpoints.list()
        self.assertEqual(len(server.requests), 1)

    def test_an_answer_that_is_cut_off_or_not_json_is_not_taken_for_one(self) -> None:
        def cut(request: BaseHTTPRequestHandler) -> None:
            reply(request, 200, b'{"endpoints":[]}', {"content-length": "100"})

        with FakeServer(cut) as server:
            with self.assertRaisesRegex(UnreachableError, "cannot be reached"):
                Hooktape(server.url, "htk_1").endpoints.list()
        with FakeServer(lambda request: reply(request, 200, b"<html>")) as server:
            with self.assertRaisesRegex(UnreachableError, "not the answer of a Hooktape server"):
                Hooktape(server.url, "htk_1").endpoints.list()

    def test_an_id_cannot_leave_its_place_in_the_path(self) -> None:
        with FakeServer(PutOff()) as server:
            Hooktape(server.url, "htk_1").endpoints.get("../keys?x#")
        self.assertEqual(server.requests, ["GET /api/endpoints/..%2Fkeys%3Fx%23"])

    def test_url_and_key_are_checked_when_the_client_is_made(self) -> None:
        with self.assertRaisesRegex(ValueError, '^url: "localhost:4665" is not a URL'):
            Hooktape("localhost:4665", "htk_1")
        with self.assertRaisesRegex(ValueError, "^key: an API key"):
            Hooktape("http://localhost:4665", " ")


if __name__ == "__main__":
    unittest.main()
