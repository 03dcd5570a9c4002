"""capture and wait_for."""

from __future__ import annotations

import threading
import unittest
from datetime import timedelta

from hooktape import ApiError, HooktapeError, NotArrivedError, body_bytes
from harness import HooktapeTestCase, deliver


class Capture(HooktapeTestCase):
    def test_returns_what_arrived_meanwhile_in_order_and_with_content(self) -> None:
        endpoint, handle = self.create()
        deliver(endpoint, {"n": 0})

        def run() -> None:
            deliver(endpoint, {"n": 1}, suffix="/orders?a=1", headers={"X-Shop": "a"})
            deliver(endpoint, {"n": 2})

        first, second = handle.capture(run, settle="50ms")
        self.assertEqual([first["payload"], second["payload"]], [{"n": 1}, {"n": 2}])
        self.assertEqual((first["endpointId"], first["path"], first["query"]), (endpoint["id"], "/orders", "a=1"))
        self.assertEqual((first["method"], first["headers"]["x-shop"]), ("POST", "a"))

    def test_is_a_context_manager_whose_list_is_filled_at_the_end(self) -> None:
        endpoint, handle = self.create()
        with handle.capture(where="body.n>1", settle=timedelta(milliseconds=10)) as events:
            for n in (1, 2, 3):
                deliver(endpoint, {"n": n})
            self.assertEqual(events, [])
        self.assertEqual([event["payload"]["n"] for event in events], [2, 3])

    def test_waits_for_what_arrives_after_the_block(self) -> None:
        endpoint, handle = self.create()
        with handle.capture(at_least=1, settle=0.01) as events:
            later = threading.Timer(0.15, lambda: deliver(endpoint, {"n": 1}))
            later.start()
        later.join()
        self.assertEqual(len(events), 1)

    def test_fails_when_fewer_arrive_than_asked_for(self) -> None:
        endpoint, handle = self.create()
        with self.assertRaisesRegex(NotArrivedError, r"^1 of 2 events arrived within 50 ms\. 1 event did:\n  evt_"):
            handle.capture(lambda: deliver(endpoint, {"n": 1}), at_least=2, within="50ms")

    def test_an_exception_of_the_block_is_kept(self) -> None:
        _, handle = self.create()
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            with handle.capture():
                raise ZeroDivisionError("mine")

    def test_keeps_bytes_that_are_not_utf_8(self) -> None:
        endpoint, handle = self.create()
        body = bytes([0, 255, 128, 10])
        [event] = handle.capture(lambda: deliver(endpoint, body), at_least=1, settle=0)
        self.assertIsNone(event["payload"])
        self.assertEqual(body_bytes(event), body)


class WaitFor(HooktapeTestCase):
    def test_returns_an_event_that_is_there_or_the_next_one_that_matches(self) -> None:
        endpoint, handle = self.create()
        first = deliver(endpoint, {"n": 1})
        self.assertEqual(handle.wait_for("body.n:1", within="5s")["id"], first)
        later = threading.Timer(0.05, lambda: [deliver(endpoint, {"n": n}) for n in (2, 3)])
        later.start()
        self.assertEqual(handle.wait_for("body.n:3", within="10s")["payload"], {"n": 3})
        later.join()

    def test_only_what_comes_after_a_mark_or_an_event_counts(self) -> None:
        endpoint, handle = self.create()
        deliver(endpoint, {"n": 1})
        mark = handle.mark()
        with self.assertRaises(NotArrivedError) as caught:
            handle.wait_for("", after=mark, within="20ms")
        self.assertEqual(str(caught.exception), "no event arrived within 20 ms, and no other")
        self.assertIsInstance(caught.exception, AssertionError)
        ids = [deliver(endpoint, {"n": 1}), deliver(endpoint, {"n": 1})]
        second = handle.wait_for("", after=mark)
        third = handle.wait_for("", after=second["cursor"])
        self.assertEqual([second["id"], third["id"]], ids)

    def test_fails_with_what_did_arrive_and_why_it_does_not_match(self) -> None:
        endpoint, handle = self.create()
        deliver(endpoint, {"n": 0})
        mark = handle.mark()
        for n in (1, 2, 50):
            deliver(endpoint, {"n": n}, suffix="/refunds")
        near = deliver(endpoint, {"n": 99}, suffix="/orders")
        with self.assertRaises(NotArrivedError) as caught:
            handle.wait_for("path:/orders body.n>99", after=mark, within="20ms")
        error = caught.exception
        self.assertEqual(len(error.arrived), 4)
        clauses = [one["clause"] for one in error.nearest]
        self.assertEqual(clauses, ["body.n>99", "path:/orders", "path:/orders"])
        lines = str(error).split("\n")
        self.assertEqual(
            lines[0], "no event matching path:/orders body.n>99 arrived within 20 ms. 4 events did:"
        )
        self.assertEqual(lines[1], f"  {near} POST /orders: fails body.n>99")
        self.assertEqual(lines[-1], "  and 1 more")

    def test_a_filter_that_cannot_be_read_is_refused_at_once_with_the_place(self) -> None:
        _, handle = self.create()
        with self.assertRaises(ApiError) as caught:
            handle.wait_for("tpye:x")
        error = caught.exception
        self.assertEqual((error.status, error.position, error.nearest), (400, 0, "type"))
        self.assertIsInstance(error, HooktapeError)

    def test_a_duration_that_cannot_be_read_is_named(self) -> None:
        _, handle = self.create()
        for wrong in ("3 parsecs", -1, float("nan"), True):
            with self.assertRaisesRegex(ValueError, "^within: "):
                handle.wait_for("", within=wrong)


if __name__ == "__main__":
    unittest.main()
