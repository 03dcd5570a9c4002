/* Schemas of events: the list, and one event in full. */

import { type Static, Type as t } from '@sinclair/typebox';
import { type Refusal, refusals } from '../../core/answers/model.ts';
import {
  defaultPageSize,
  keptResponseBytes,
  maxHighlightCharacters,
  maxHighlights,
  maxMatchCharacters,
  maxMatches,
  maxRedactedFields,
} from '../../core/limits.ts';
import { ReplayEdit } from '../../core/replay/edit-schema.ts';
import { replayVia } from '../../core/replay/replay-via.ts';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { ByteCount, HttpStatus, PageSize, Sha256, Timestamp } from '../../http/schemas.ts';
import { faults } from '../../shared/answers.ts';
import { maxSearchCharacters } from '../../shared/limits.ts';

const NameValue = t.Tuple([t.String(), t.String()]);

export const Pin = t.Object(
  {
    name: nullable(t.String({ description: 'unique in the endpoint' })),
    note: nullable(t.String()),
    pinnedAt: Timestamp,
  },
  { title: 'Pin', description: 'a pinned event is exempt from retention' },
);
export type Pin = Static<typeof Pin>;
export const Tags = t.Array(t.String(), { description: 'in the order in which they were given' });

export const DeliveryPlace = t.Object(
  {
    key: t.String({ description: 'identifies the delivery in its endpoint: `GET /api/deliveries/{key}`' }),
    basis: t.Union([t.Literal('header'), t.Literal('body'), t.Literal('content')], {
      description:
        'where the sender’s id of the delivery is; `content` when it gives none: then attempts are recognised by method, path, query, type and body, each at most 72 hours after the one before',
    }),
    attempt: t.Integer({ minimum: 1, description: 'which attempt this event is, in order of receipt' }),
    attempts: t.Integer({ minimum: 1, description: 'how many attempts there are; both numbers stop at 100' }),
  },
  { title: 'DeliveryPlace', description: 'the delivery of which an event is an attempt' },
);
export type DeliveryPlace = Static<typeof DeliveryPlace>;

export const Answered = t.Object(
  {
    status: nullable(HttpStatus('null when the connection was closed, reset or stalled')),
    rule: nullable(t.String({ description: 'the name of the rule that chose the answer; null for the usual one' })),
    delayMs: t.Integer({ description: 'how long the answer was delayed' }),
    fault: nullable(literals(faults)),
    limited: t.Boolean({ description: 'answered at once, because too many delayed answers were waiting' }),
  },
  { title: 'Answered', description: 'the answer to the sender' },
);
export type Answered = Static<typeof Answered>;

export const Refused = nullable(
  t.Unsafe<Refusal>(
    t.Union(
      refusals.map(status => t.Literal(status)),
      { description: 'the status with which the guard of the endpoint refused it' },
    ),
  ),
);

export const Redacted = t.Object(
  {
    rules: t.Integer({ description: 'how many rules took something' }),
    fields: t.Array(t.String(), { description: `the names of the fields, ${maxRedactedFields} at most` }),
    sha256: nullable(t.String({ description: 'of the body as it came, if the endpoint keeps it' })),
  },
  { title: 'Redacted', description: 'what rules took out of the event; null when they took nothing' },
);

const shared = {
  id: t.String(),
  eventType: nullable(t.String()),
  platform: nullable(t.String({ description: 'the detected sender: the lower-case name of a platform' })),
  method: nullable(t.String()),
  receivedAt: Timestamp,
  size: ByteCount,
  path: t.String({ description: 'the path after the ingest token as it was sent: it begins with / or is empty' }),
  signatureValid: nullable(t.Boolean()),
  pin: nullable(Pin),
  tags: Tags,
  delivery: DeliveryPlace,
  answered: Answered,
  refused: Refused,
  redacted: nullable(Redacted),
};

export const Matched = t.Object(
  {
    field: t.String({
      description:
        'as in a filter, so that `FIELD:"TEXT"` finds the event; `body` where no single value matches, and in a body without fields',
    }),
    text: t.String({
      description: `the decoded value, or the ${maxMatchCharacters} characters of it around the match`,
    }),
  },
  { title: 'Matched' },
);
export type Matched = Static<typeof Matched>;

export const EventSummary = t.Object(
  {
    ...shared,
    verdict: nullable(
      t.Union([t.Literal('valid'), t.Literal('invalid'), t.Literal('unchecked'), t.Literal('none')], {
        description:
          'of the signature, as `verdict:` in filters; `none`: the event has no signature; null: not known, because the event is large and its endpoint has no secret',
      }),
    ),
    payloadPreview: t.String(),
    action: nullable(
      t.String({
        description:
          'what happened, for platforms whose event types say little, such as `opened` for GitHub’s `pull_request`; from the payload, as `highlights`',
      }),
    ),
    highlights: t.Array(t.String(), {
      description: `what matters in the payload, as the sender wrote it: up to ${maxHighlights} texts of at most ${maxHighlightCharacters} characters; empty when nothing is known to matter`,
    }),
    matched: t.Array(Matched, {
      maxItems: maxMatches,
      description:
        'in a list with `q`, words or terms about contents: where the event matches; whole values first; empty everywhere else',
    }),
  },
  { title: 'EventSummary' },
);
export type EventSummary = Static<typeof EventSummary>;

export const EventPage = t.Object(
  {
    events: t.Array(EventSummary),
    nextCursor: nullable(t.String()),
    scannedTo: nullable(
      t.Integer({
        description:
          'set when a search took long and stopped before it had found a whole page: events received before this time have not been searched; go on with `nextCursor`',
      }),
    ),
  },
  { title: 'EventPage' },
);
export type EventPage = Static<typeof EventPage>;

export const Signature = t.Object(
  {
    platform: nullable(t.String()),
    scheme: t.String(),
    verdict: t.Union([t.Literal('valid'), t.Literal('invalid'), t.Literal('unchecked')]),
    reason: nullable(
      t.Union([
        t.Literal('no_secret'),
        t.Literal('unconfirmed_secret'),
        t.Literal('wrong_secret_or_altered_body'),
        t.Literal('timestamp_out_of_tolerance'),
        t.Literal('malformed_header'),
        t.Literal('unsupported'),
        t.Literal('redacted', { description: 'imported after rules had taken something out of it' }),
      ]),
    ),
    proves: nullable(t.Union([t.Literal('payload'), t.Literal('origin')])),
    checked: literals(['arrival', 'read'], {
      description:
        '`arrival`: when the event came, because what is stored is not enough; secrets that change later do not change it. `read`: now',
    }),
  },
  { title: 'Signature' },
);
export type Signature = Static<typeof Signature>;

export const KeptResponse = t.Object(
  {
    headers: t.Array(NameValue, { description: 'as they came; credentials are `[redacted]`' }),
    body: t.String({ description: `the first ${keptResponseBytes / 1024} KiB` }),
    bodyEncoding: t.Union([t.Literal('utf8'), t.Literal('base64')]),
    truncated: t.Boolean({ description: 'there was more' }),
  },
  {
    title: 'KeptResponse',
    description: 'the beginning of the destination’s answer; null when there was none or none was kept',
  },
);
export type KeptResponse = Static<typeof KeptResponse>;

export const SentRequest = t.Object(
  {
    method: t.String(),
    url: t.String({ description: 'as `destination`' }),
    headers: t.Array(NameValue, {
      description:
        'without those of the connection; credentials, the headers of a forward and a secret that came with the request are `[redacted]`, a signature by a stored secret `[signed]`',
    }),
    edit: nullable(ReplayEdit),
    sha256: Sha256,
  },
  {
    title: 'SentRequest',
    description:
      'what was sent; null for `via: "listen"` and for attempts of earlier versions. `edit` is as it was asked for, with credentials `[redacted]`; null without one, and when it is larger than 64 KiB as JSON. `GET /api/events/{id}/replays/{replayId}/request` has the body',
  },
);

export const ReplayNote = nullable(
  t.String({
    description:
      'null, or that the signature no longer covers the body, because rules took something out of the event and it was not signed anew',
  }),
);

export const ReplayAttempt = t.Object(
  {
    id: t.String({ examples: ['rpl_01m2ab3cd4ef5gh6jk7mn8pq9r'] }),
    destination: t.String({
      description: 'the URL that it was sent to; to a read-only key only the server, with `[set]` as its path',
    }),
    status: nullable(HttpStatus('null when the destination could not be reached')),
    ok: t.Boolean(),
    durationMs: t.Integer({ description: 'from the start of the replay to the end of the response' }),
    createdAt: Timestamp,
    replayedBy: nullable(t.String()),
    formerMember: t.Boolean(),
    via: literals(replayVia, { description: 'who sent it: `listen` is `hooktape` on another machine' }),
    signed: t.Boolean({ description: 'it was signed anew; false = with the signature as captured' }),
    edited: t.Boolean({ description: 'body, headers or the delivery id were changed' }),
    response: nullable(KeptResponse),
    request: nullable(SentRequest),
    note: ReplayNote,
  },
  { title: 'ReplayAttempt' },
);
export type ReplayAttempt = Static<typeof ReplayAttempt>;

export const EventForward = t.Object(
  {
    id: t.String(),
    name: t.String(),
    state: literals(['waiting', 'failed', 'delivered', 'given_up', 'skipped'], {
      description: 'waiting: not tried yet; failed: will be tried again; given_up: will not; skipped: by a person',
    }),
    attempts: t.Integer(),
    lastStatus: nullable(t.Integer({ description: 'null without an answer' })),
    nextAt: nullable({ ...Timestamp, description: 'null: settled, given up, or behind another event of its lane' }),
  },
  { title: 'EventForward' },
);
export type EventForward = Static<typeof EventForward>;

export const ReplayParams = t.Object({ id: t.String(), replayId: t.String() });

export const EventDetail = t.Object(
  {
    ...shared,
    endpointId: t.String(),
    headers: t.Record(t.String(), t.String()),
    rawHeaders: t.Array(NameValue, { description: 'in the order of arrival, names as they were sent' }),
    query: nullable(t.String()),
    params: t.Array(NameValue),
    payload: t.Unknown({ description: 'parsed JSON; null when the body was empty or not valid JSON' }),
    payloadRaw: t.String(),
    payloadEncoding: t.Union([t.Literal('utf8'), t.Literal('base64')]),
    sha256: Sha256,
    sourceIp: t.String(),
    signature: nullable(Signature),
    replays: t.Array(ReplayAttempt),
    forwards: t.Array(EventForward, {
      description:
        'one for each forward that takes the event; delivered ones as long as their replay is kept; empty for apps',
    }),
  },
  { title: 'EventDetail' },
);
export type EventDetail = Static<typeof EventDetail>;

/** The filter language; `core/where.ts` reads it. */
export const Where = t.Optional(
  t.String({ description: 'only events that match this filter, such as `type:invoice.* size>10k`' }),
);

export const EventListQuery = t.Object({
  endpointId: t.String(),
  limit: PageSize(defaultPageSize),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous page' })),
  group: t.Optional(
    t.Literal('delivery', { description: 'one row per delivery: of its attempts, the newest that matches' }),
  ),
  q: t.Optional(
    textDocumentedAs(t.String({ maxLength: maxSearchCharacters }), {
      description: 'case-insensitive substring of event type or payload; every character is literal',
    }),
  ),
  where: Where,
});
export type EventListQuery = Static<typeof EventListQuery>;
