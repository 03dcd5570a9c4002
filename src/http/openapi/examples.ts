/* An example for each body, found by the name of its schema, and for errors by status. A test validates them. */

import { alertExamples } from './alert-examples.ts';
import { type Content, mapContents, mapValues, type Refinement } from './document.ts';
import { forwardExamples } from './forward-examples.ts';
import { jobExamples } from './job-examples.ts';
import { listenerExamples } from './listener-examples.ts';
import { replayExample, replayExamples } from './replay-examples.ts';
import { schemaExamples } from './schema-examples.ts';
import { secretExamples } from './secret-examples.ts';
import { signatureExamples } from './signature-examples.ts';
import { teamExamples } from './team-examples.ts';

const createdAt = 1_789_000_000_000;
const receivedAt = 1_789_000_123_456;
const ids = {
  account: 'acc_01m2ab3cd4ef5gh6jk7mn8pq9r',
  endpoint: 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r',
  event: 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r',
};

const account = { id: ids.account, email: 'ada@example.com', plan: 'pro', createdAt };
const previousUrl = {
  id: 'url_01m2ab3cd4ef5gh6jk7mn8pq9r',
  url: 'https://hooks.example.com/in/9d3n8xk2v5q7w4m6p0r1s3t5f7g9h2j4',
  until: receivedAt + 86_400_000,
};
const endpoint = {
  id: ids.endpoint,
  name: 'Shop',
  createdAt,
  url: 'https://hooks.example.com/in/4t9v2kq8x7w3m5n6p1r0s2d4f6g8h0j2',
  path: '/in/4t9v2kq8x7w3m5n6p1r0s2d4f6g8h0j2',
  eventCount: 1,
  lastReceivedAt: receivedAt,
  retention: null,
  previousUrls: [previousUrl],
  paused: false,
  pausedAt: null,
  refusedWhilePaused: null,
  customAnswers: false,
  guard: null,
  alerts: { enabled: 1, firing: 0 },
  declared: false,
};
const body = '{"type":"order.paid","id":7,"amount":"12.50","currency":"EUR"}';
const sha256 = 'ee2064a9618c1c0cf6419b00eb55ea1173aa18a8d0e431749d34413e194e719a';
const received = {
  id: ids.event,
  eventType: 'order.paid',
  platform: 'stripe',
  method: 'POST',
  receivedAt,
  size: body.length,
  path: '/orders',
  pin: { name: 'golden', note: 'the first paid order', pinnedAt: receivedAt + 30_000 },
  tags: ['checkout'],
  answered: { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
  refused: null,
};
const place = { key: '0k3d9v2tq7m', basis: 'body', attempt: 1, attempts: 2 };
const summary = {
  ...received,
  delivery: place,
  signatureValid: true,
  verdict: 'valid',
  payloadPreview: body,
  action: null,
  highlights: ['7', '12.50 EUR'],
};
const content = {
  query: 'shop=7',
  headers: { 'content-type': 'application/json' },
  rawHeaders: [['Content-Type', 'application/json']],
  payloadRaw: body,
  payloadEncoding: 'utf8',
  sha256,
};
const cursor = '000000000z43q7k2w9d';
const consumer = { name: 'billing', cursor, behind: 3, lastSeenAt: receivedAt + 60_000 };
const filter = {
  id: 'flt_01m2ab3cd4ef5gh6jk7mn8pq9r',
  name: 'Large orders',
  where: 'type:order.* size>10k',
  createdAt,
};
const rules = {
  rules: [
    {
      name: 'retry twice',
      when: 'type:order.*',
      per: 'delivery',
      first: 2,
      answer: { status: 500, headers: [['Retry-After', '30']], body: 'try again' },
    },
  ],
};
const password = 'a quiet river at noon';

const bySchema: Record<string, unknown> = {
  ...teamExamples,
  ...forwardExamples,
  ...jobExamples,
  ...alertExamples,
  Acceptance: { password },
  Account: account,
  Activity: {
    since: 1_788_915_600_000,
    bucketMs: 3_600_000,
    counts: [0, 0, 0, 0, 0, 0, 0, 2, 5, 9, 12, 8, 4, 7, 11, 6, 3, 1, 0, 0, 0, 0, 0, 1],
  },
  ConnectedAppList: {
    apps: [
      {
        id: 'app_01m2ab3cd4ef5gh6jk7mn8pq9r',
        name: 'Example editor',
        clientId: 'dcr_01m2ab3cd4ef5gh6jk7mn8pq9r',
        createdAt,
        lastUsedAt: null,
        issuer: null,
        verifiedHost: null,
        redirectHost: 'localhost',
        scopes: ['webhooks'],
      },
    ],
  },
  Consumer: consumer,
  ConsumerList: { consumers: [consumer] },
  ConsumerPosition: { cursor },
  Delivery: {
    key: place.key,
    basis: place.basis,
    platform: received.platform,
    attempts: [
      { ...summary, gapMs: null },
      {
        ...summary,
        id: 'evt_01m2ab3cd4f7n2jk7mn8pq9r4s',
        receivedAt: receivedAt + 300_000,
        pin: null,
        tags: [],
        delivery: { ...place, attempt: 2 },
        gapMs: 300_000,
      },
    ],
    bodiesDiffer: false,
  },
  Endpoint: endpoint,
  EndpointChange: { name: 'Shop' },
  EndpointChanged: { ok: true, name: 'Shop' },
  EndpointList: { endpoints: [endpoint] },
  EndpointName: { name: 'Shop' },
  EventDetail: {
    ...received,
    ...content,
    delivery: place,
    signatureValid: true,
    endpointId: ids.endpoint,
    params: [['shop', '7']],
    payload: { type: 'order.paid', id: 7, amount: '12.50', currency: 'EUR' },
    sourceIp: '192.0.2.7',
    signature: { platform: 'stripe', scheme: 'stripe', verdict: 'valid', reason: null, proves: 'payload' },
    replays: [replayExample],
  },
  EventSummary: summary,
  PinRequest: { name: 'golden', note: 'the first paid order' },
  FilterInput: { name: 'Large orders', where: 'type:order.* size>10k' },
  ...signatureExamples(body, sha256),
  SavedFilter: filter,
  SavedFilterList: { filters: [filter] },
  AnswerRules: rules,
  AnswerRulesRequest: rules,
  AnswerPreviewRequest: { ...rules, limit: 10 },
  AnswerPreview: { events: [{ event: summary, rule: 'retry twice', status: 500 }] },
  FilterTest: { where: filter.where, limit: 10 },
  FilterTestResult: { matched: [], unmatched: [{ event: summary, clause: 'size>10k' }], untested: 0 },
  FilterError: { error: 'invalid where: there is no field "tpye"', position: 0, nearest: 'type' },
  EventCount: { count: 1240, nextCursor: null },
  DeletionRequest: { where: 'type:order.* received<30d', pinned: false },
  Deletion: { deleted: 1 },
  EventJsonSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'order.paid',
    type: 'object',
    properties: { type: { type: 'string' }, id: { type: 'integer' } },
    required: ['type', 'id'],
  },
  TypeSchemaList: {
    schemas: [
      {
        platform: 'stripe',
        type: 'order.paid',
        count: 128,
        firstAt: createdAt,
        lastAt: receivedAt,
        changedAt: receivedAt - 60_000,
      },
    ],
  },
  TagsRequest: { tags: ['checkout'] },
  EventPage: { events: [summary], nextCursor: null, scannedTo: null },
  FeedPage: { events: [{ ...summary, cursor }], cursor, more: false, truncated: false },
  ...listenerExamples({ event: summary, body, email: account.email }),
  History: { version: '2026.09.17', exportedAt: receivedAt, endpoint, events: [{ ...received, ...content }] },
  HttpArchive: {
    log: { version: '1.2', creator: { name: 'Hooktape', version: '2026.09.17' }, pages: [], entries: [] },
  },
  Ok: { ok: true },
  PasswordChange: { current: password, password: 'a wide meadow at dawn' },
  ...replayExamples,
  RetrySchedule: {
    events: 5000,
    since: createdAt,
    senders: [
      {
        platform: 'stripe',
        basis: 'body',
        deliveries: 17,
        retries: [
          { attempt: 2, gapMs: 300_000, deliveries: 17 },
          { attempt: 3, gapMs: 1_800_000, deliveries: 6 },
        ],
      },
    ],
  },
  ...schemaExamples,
  ...secretExamples,
  SessionList: {
    sessions: [
      {
        id: 'ses_01m2ab3cd4ef5gh6jk7mn8pq9r',
        current: true,
        userAgent: 'Mozilla/5.0',
        sourceIp: '192.0.2.7',
        createdAt,
        lastSeenAt: receivedAt,
      },
    ],
  },
  SetupDone: { account, endpoint: { ...endpoint, eventCount: 0, lastReceivedAt: null, previousUrls: [] } },
  SetupRequest: { token: '4t9v2kq8x7w3m5n6p1r0s2d4f6g8h0j2', email: 'ada@example.com', password },
  SignedIn: { account, role: 'owner', sessionId: null, setupRequired: false, version: '1.0.0' },
  SignedOut: { error: 'not signed in', setupRequired: false },
  SignIn: { email: 'ada@example.com', password },
  Rotation: { overlap: '24h' },
};

const byStatus: Record<string, string> = {
  400: 'invalid body: name: required',
  401: 'missing or invalid credentials',
  403: 'the free plan allows 1 endpoint',
  404: 'not found',
  405: 'method not allowed; this path takes GET, HEAD',
  408: 'the request did not arrive in time',
  409: 'ada@example.com is in the team already',
  412: 'the consumer has changed: read it again',
  413: 'the request body is too large',
  415: 'the content type must be application/json',
  417: 'nothing but 100-continue can be expected here',
  421: 'this is not a name of this server; use https://hooks.example.com (HOOKTAPE_BASE_URL)',
  429: 'rate limit exceeded, try again in 12 s',
  431: 'the header fields are too large',
  500: 'internal error',
  502: 'the destination could not be reached: connection refused',
  503: 'shutting down, try again',
};

const line = { ...received, ...content };
const byMediaType: Record<string, unknown> = {
  'text/plain': 'export type OrderPaid = {\n  type: string;\n  id: number;\n};\n',
  'application/x-ndjson': `${JSON.stringify(line)}\n`,
  'text/csv': `id,receivedAt,method,path,query,platform,eventType,size,sha256,pinName,pinNote,pinnedAt,tags,headers,payloadEncoding,payloadRaw\r\n${ids.event},2026-09-10T00:28:43.456Z,POST,/orders,shop=7,stripe,order.paid,28,${sha256},golden,the first paid order,2026-09-10T00:29:13.456Z,"[""checkout""]","{""content-type"":""application/json""}",utf8,"{""type"":""order.paid"",""id"":7}"\r\n`,
  'application/x-sh': `#!/bin/sh\n# Sends the events of Hooktape's endpoint ${ids.endpoint} again, oldest first …\n`,
  'text/event-stream': `: connected\nretry: 1000\nid: ${ids.event}\nevent: event\ndata: ${JSON.stringify(summary)}\n\n`,
};

const nameOf = ({ $ref }: Record<string, unknown>): string =>
  typeof $ref === 'string' ? $ref.replace('#/components/schemas/', '') : '';

export const examples: Refinement = document =>
  mapContents(document, (content: Content, { status = '' }) =>
    mapValues(content, (media, type) => {
      const name = nameOf(media.schema);
      const error = name === 'Error' ? byStatus[status] : undefined;
      const example = error === undefined ? (bySchema[name] ?? byMediaType[type]) : { error };
      return example === undefined ? media : { ...media, example };
    }),
  );
