"""Requests and responses of the API. Generated from /openapi.json by ``bun scripts/client-types.ts``. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict, Union


__all__ = [
    "AnswerRule",
    "AnswerRuleRate",
    "AnswerRules",
    "AnswerRulesRequest",
    "Answered",
    "DeliveryPlace",
    "Endpoint",
    "EndpointAlerts",
    "EndpointList",
    "EndpointName",
    "EventDetail",
    "EventForward",
    "EventSummary",
    "FeedEvent",
    "FeedPage",
    "FilterTest",
    "FilterTestResult",
    "FilterTestResultUnmatched",
    "Guard",
    "GuardBasic",
    "GuardToken",
    "KeptResponse",
    "Matched",
    "Ok",
    "Pin",
    "PreviousUrl",
    "Redacted",
    "ReplayAnswer",
    "ReplayAttempt",
    "ReplayDryRun",
    "ReplayEdit",
    "ReplayRequest",
    "ReplayResult",
    "ReplaySign",
    "RuleAnswer",
    "SentRequest",
    "Signature",
]


class AnswerRuleRate(TypedDict):
    max: int
    perS: int


class _AnswerRuleRequired(TypedDict):
    answer: RuleAnswer


class AnswerRule(_AnswerRuleRequired, total=False):
    # unique; default `rule-N`, counted from 1
    name: str
    # a filter: only events that match it
    when: str
    # count the attempts of each delivery separately, or all events of the endpoint together
    # (default)
    per: Literal["delivery", "endpoint"]
    # only the first N
    first: int
    # only every Nth: for 3, the 3rd, 6th, …
    every: int
    # with this probability, from 0 to 1
    chance: float
    # only events beyond `max` in any `perS` seconds
    rate: AnswerRuleRate
    # also before the handshakes of platforms
    handshake: bool


class AnswerRules(TypedDict):
    # the first one whose conditions all hold answers; at most 50; empty: every sender gets the
    # default answer
    rules: list[AnswerRule]


class AnswerRulesRequest(TypedDict):
    # the first one whose conditions all hold answers; at most 50; empty: every sender gets the
    # default answer
    rules: list[AnswerRule]


class Answered(TypedDict):
    # null when the connection was closed, reset or stalled
    status: Optional[int]
    # the name of the rule that chose the answer; null for the usual one
    rule: Optional[str]
    # how long the answer was delayed
    delayMs: int
    fault: Optional[Literal["close", "reset", "stall"]]
    # answered at once, because too many delayed answers were waiting
    limited: bool


class DeliveryPlace(TypedDict):
    # identifies the delivery in its endpoint: `GET /api/deliveries/{key}`
    key: str
    # where the sender’s id of the delivery is; `content` when it gives none: then attempts are
    # recognised by method, path, query, type and body, each at most 72 hours after the one before
    basis: Literal["header", "body", "content"]
    # which attempt this event is, in order of receipt
    attempt: int
    # how many attempts there are; both numbers stop at 100
    attempts: int


class EndpointAlerts(TypedDict):
    # how many are enabled
    enabled: int
    # how many of them have fired and are not resolved
    firing: int


class Endpoint(TypedDict):
    id: str
    name: str
    # epoch milliseconds
    createdAt: int
    # the URL to register as the webhook destination on the sending platform
    url: str
    # the path of `url`, for senders that reach the server under another origin, such as a mapped
    # port
    path: str
    eventCount: int
    # epoch milliseconds
    lastReceivedAt: Optional[int]
    # how long its events are kept, as written; null: as long as the plan says
    retention: Optional[str]
    # replaced URLs that still take deliveries, newest first
    previousUrls: list[PreviousUrl]
    # a paused endpoint answers deliveries with 503 and does not store them
    paused: bool
    # epoch milliseconds
    pausedAt: Optional[int]
    # deliveries that this process has refused since the pause or its own start; null when the
    # endpoint is not paused
    refusedWhilePaused: Optional[int]
    # whether it has rules for answers; without, senders get the usual one
    customAnswers: bool
    guard: Optional[Guard]
    alerts: Optional[EndpointAlerts]
    # whether a file declares it (`hooktape apply`), and may set it back
    declared: bool


class EndpointList(TypedDict):
    endpoints: list[Endpoint]


class EndpointName(TypedDict):
    # 1 to 100 characters after trimming
    name: str


class EventDetail(TypedDict):
    id: str
    eventType: Optional[str]
    # the detected sender: the lower-case name of a platform
    platform: Optional[str]
    method: Optional[str]
    # epoch milliseconds
    receivedAt: int
    # body bytes
    size: int
    # the path after the ingest token as it was sent: it begins with / or is empty
    path: str
    signatureValid: Optional[bool]
    pin: Optional[Pin]
    # in the order in which they were given
    tags: list[str]
    delivery: DeliveryPlace
    answered: Answered
    refused: Optional[Union[Literal[401], Literal[403], Literal[405]]]
    redacted: Optional[Redacted]
    endpointId: str
    headers: dict[str, str]
    # in the order of arrival, names as they were sent
    rawHeaders: list[list[str]]
    query: Optional[str]
    params: list[list[str]]
    # parsed JSON; null when the body was empty or not valid JSON
    payload: Any
    payloadRaw: str
    payloadEncoding: Literal["utf8", "base64"]
    # hex, of the body
    sha256: str
    sourceIp: str
    signature: Optional[Signature]
    replays: list[ReplayAttempt]
    # one for each forward that takes the event; delivered ones as long as their replay is kept;
    # empty for apps
    forwards: list[EventForward]


class EventForward(TypedDict):
    id: str
    name: str
    # waiting: not tried yet; failed: will be tried again; given_up: will not; skipped: by a person
    state: Literal["waiting", "failed", "delivered", "given_up", "skipped"]
    attempts: int
    # null without an answer
    lastStatus: Optional[int]
    # null: settled, given up, or behind another event of its lane
    nextAt: Optional[int]


class EventSummary(TypedDict):
    id: str
    eventType: Optional[str]
    # the detected sender: the lower-case name of a platform
    platform: Optional[str]
    method: Optional[str]
    # epoch milliseconds
    receivedAt: int
    # body bytes
    size: int
    # the path after the ingest token as it was sent: it begins with / or is empty
    path: str
    signatureValid: Optional[bool]
    pin: Optional[Pin]
    # in the order in which they were given
    tags: list[str]
    delivery: DeliveryPlace
    answered: Answered
    refused: Optional[Union[Literal[401], Literal[403], Literal[405]]]
    redacted: Optional[Redacted]
    verdict: Optional[Literal["valid", "invalid", "unchecked", "none"]]
    payloadPreview: str
    # what happened, for platforms whose event types say little, such as `opened` for GitHub’s
    # `pull_request`; from the payload, as `highlights`
    action: Optional[str]
    # what matters in the payload, as the sender wrote it: up to 4 texts of at most 60 characters;
    # empty when nothing is known to matter
    highlights: list[str]
    # in a list with `q`, words or terms about contents: where the event matches; whole values
    # first; empty everywhere else
    matched: list[Matched]


class _FeedEventRequired(TypedDict):
    id: str
    eventType: Optional[str]
    # the detected sender: the lower-case name of a platform
    platform: Optional[str]
    method: Optional[str]
    # epoch milliseconds
    receivedAt: int
    # body bytes
    size: int
    # the path after the ingest token as it was sent: it begins with / or is empty
    path: str
    signatureValid: Optional[bool]
    pin: Optional[Pin]
    # in the order in which they were given
    tags: list[str]
    delivery: DeliveryPlace
    answered: Answered
    refused: Optional[Union[Literal[401], Literal[403], Literal[405]]]
    redacted: Optional[Redacted]
    verdict: Optional[Literal["valid", "invalid", "unchecked", "none"]]
    payloadPreview: str
    # what happened, for platforms whose event types say little, such as `opened` for GitHub’s
    # `pull_request`; from the payload, as `highlights`
    action: Optional[str]
    # what matters in the payload, as the sender wrote it: up to 4 texts of at most 60 characters;
    # empty when nothing is known to matter
    highlights: list[str]
    # in a list with `q`, words or terms about contents: where the event matches; whole values
    # first; empty everywhere else
    matched: list[Matched]
    # the position after this event, for readers that move on event by event
    cursor: str


class FeedEvent(_FeedEventRequired, total=False):
    # with `content=full`, as `GET /api/events/{id}` has it; null when there was none, or when the
    # event is damaged
    query: Optional[str]
    # with `content=full`; null when the event is damaged on disk
    rawHeaders: Optional[list[list[str]]]
    # with `content=full`; null when the event is damaged
    payloadRaw: Optional[str]
    payloadEncoding: Optional[Literal["utf8", "base64"]]


class FeedPage(TypedDict):
    # in the order in which they were stored, oldest first
    events: list[FeedEvent]
    # the position after these events: pass it as `after`
    cursor: str
    # there are more already: call again at once. With `where` they may turn out not to match
    more: bool
    # events after the cursor are missing, because retention has removed them
    truncated: bool


class _FilterTestRequired(TypedDict):
    # a filter, such as `type:invoice.* size>10k`
    where: str


class FilterTest(_FilterTestRequired, total=False):
    # how many events are tried, the newest ones
    limit: int


class FilterTestResultUnmatched(TypedDict):
    event: EventSummary
    # the term of the filter that decided, as written
    clause: str


class FilterTestResult(TypedDict):
    # newest first
    matched: list[EventSummary]
    # newest first
    unmatched: list[FilterTestResultUnmatched]
    # events for which there was no time, the oldest ones
    untested: int
    # how to change a filter with `type:` that matches no event of the endpoint, if `body.type:` in
    # its place matches one; else null
    hint: Optional[str]


class GuardBasic(TypedDict):
    user: str
    # always `[set]`
    password: str


GuardToken = TypedDict("GuardToken", {
    "in": Literal["header", "query"],
    "name": str,
    "value": str,
})


class _GuardRequired(TypedDict):
    # whether refused deliveries are stored
    onRefuse: Literal["record", "drop"]


class Guard(_GuardRequired, total=False):
    # the HTTP methods that are accepted; others get 405
    methods: list[str]
    # the addresses and networks that may deliver; others get 403
    cidrs: list[str]
    # of HTTP Basic authentication; deliveries without it get 401
    basic: GuardBasic
    # deliveries without it get 401
    token: GuardToken


class KeptResponse(TypedDict):
    # as they came; credentials are `[redacted]`
    headers: list[list[str]]
    # the first 4 KiB
    body: str
    bodyEncoding: Literal["utf8", "base64"]
    # there was more
    truncated: bool


class Matched(TypedDict):
    # as in a filter, so that `FIELD:"TEXT"` finds the event; `body` where no single value matches,
    # and in a body without fields
    field: str
    # the decoded value, or the 80 characters of it around the match
    text: str


class Ok(TypedDict):
    ok: bool


class Pin(TypedDict):
    # unique in the endpoint
    name: Optional[str]
    note: Optional[str]
    # epoch milliseconds
    pinnedAt: int


class PreviousUrl(TypedDict):
    id: str
    # the replaced URL
    url: str
    # until when it takes deliveries, epoch milliseconds; then it answers 404
    until: int


class Redacted(TypedDict):
    # how many rules took something
    rules: int
    # the names of the fields, 100 at most
    fields: list[str]
    # of the body as it came, if the endpoint keeps it
    sha256: Optional[str]


ReplayAnswer = Union["ReplayResult", "ReplayDryRun"]


class ReplayAttempt(TypedDict):
    id: str
    # the URL that it was sent to; to a read-only key only the server, with `[set]` as its path
    destination: str
    # null when the destination could not be reached
    status: Optional[int]
    ok: bool
    # from the start of the replay to the end of the response
    durationMs: int
    # epoch milliseconds
    createdAt: int
    replayedBy: Optional[str]
    formerMember: bool
    # who sent it: `listen` is `hooktape` on another machine
    via: Literal["api", "dashboard", "mcp", "listen", "forward", "job"]
    # it was signed anew; false = with the signature as captured
    signed: bool
    # body, headers or the delivery id were changed
    edited: bool
    response: Optional[KeptResponse]
    request: Optional[SentRequest]
    # null, or that the signature no longer covers the body, because rules took something out of the
    # event and it was not signed anew
    note: Optional[str]


class ReplayDryRun(TypedDict):
    # always true
    dryRun: bool
    method: str
    # with the path and query that `appendPath` appends; `listener:NAME` for a listener, which
    # decides itself
    url: str
    headers: list[list[str]]
    # `[signed]` stands for a signature that a stored secret would make
    body: str
    # the encoding of `body`
    bodyEncoding: Literal["utf8", "base64"]


class ReplayEdit(TypedDict, total=False):
    # JSON values by path, such as `items.0.sku`, in place of those in the body; every other byte
    # stays. Of repeated keys the last is replaced
    set: dict[str, Any]
    # paths of what to remove; of repeated keys all are removed
    unset: list[str]
    # in place of the whole body
    body: str
    # the encoding of `body`
    bodyEncoding: Literal["utf8", "base64"]
    # a value replaces all headers of that name, or adds one; null removes them
    headers: list[list[Union[str, Optional[str]]]]


class ReplayRequest(TypedDict, total=False):
    # an absolute http or https URL; give either this or `listener`
    url: str
    # in place of `url`: the name of a connected listener, which sends it to its own target
    listener: str
    # append the path and the query with which the event came to `url`; default false
    appendPath: bool
    edit: ReplayEdit
    sign: ReplaySign
    # answer with the request instead of sending it
    dryRun: bool


class ReplayResult(TypedDict):
    # true when the destination returned a 2xx status
    ok: bool
    # the destination’s HTTP status
    status: int
    durationMs: int
    # the first 500 characters of the response body
    responsePreview: str
    # null, or that the signature no longer covers the body, because rules took something out of the
    # event and it was not signed anew
    note: Optional[str]


class _ReplaySignRequired(TypedDict):
    # `none`: as captured; `fresh`: a new signature; `tamper`: a new signature that is broken
    mode: Literal["none", "fresh", "tamper"]


class ReplaySign(_ReplaySignRequired, total=False):
    # used for this request only: never stored, logged or shown
    secret: str
    # a secret of the endpoint that may sign; without `secret` and `secretId`, the one with which
    # the event is valid
    secretId: str
    # epoch milliseconds to sign for; default now
    at: int
    # a new delivery id, where the platform has a header for it
    newId: bool


class RuleAnswer(TypedDict, total=False):
    # 200 to 599; default 200, with `rate` 429
    status: int
    headers: list[list[str]]
    # at most 64 KiB; placeholders are {{id}}, {{now}}, {{receivedAt}}, {{type}}, {{platform}},
    # {{verdict}}, {{header.X}}, {{query.X}}, {{body.a.b}}, {{json body.a.b}}, {{raw}} and
    # {{truncate 200 raw}}
    body: str
    bodyEncoding: Literal["utf8", "base64"]
    # at most 60000
    delayMs: int
    # instead of an answer: the connection is closed, reset (TCP RST), or gets the head and then
    # nothing for a minute
    fault: Literal["close", "reset", "stall"]


class SentRequest(TypedDict):
    method: str
    # as `destination`
    url: str
    # without those of the connection; credentials, the headers of a forward and a secret that came
    # with the request are `[redacted]`, a signature by a stored secret `[signed]`
    headers: list[list[str]]
    edit: Optional[ReplayEdit]
    # hex, of the body
    sha256: str


class Signature(TypedDict):
    platform: Optional[str]
    scheme: str
    verdict: Literal["valid", "invalid", "unchecked"]
    reason: Optional[Literal["no_secret", "unconfirmed_secret", "wrong_secret_or_altered_body", "timestamp_out_of_tolerance", "malformed_header", "unsupported", "redacted"]]
    proves: Optional[Literal["payload", "origin"]]
    # `arrival`: when the event came, because what is stored is not enough; secrets that change
    # later do not change it. `read`: now
    checked: Literal["arrival", "read"]
