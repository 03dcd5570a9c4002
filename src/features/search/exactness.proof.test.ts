/*
 * Searches find exactly what a naive filter finds: thousands of terms on GitHub's examples, while events are stored, deleted, moved
 * between blocks, and left as rows of 1.0; with budgets that cut a search into many requests.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { githubPayloads } from '../../../scripts/lib/payloads.ts';
import { signBlock } from '../../core/blocks/block-signature.ts';
import { createMatcher, searchTexts } from '../../core/blocks/search-text.ts';
import { backgroundRead } from '../../core/concurrency/content-reads.ts';
import { toFieldLines } from '../../core/headers.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { createTestPacker, markRowsToPack } from '../../testing/packing.ts';
import { shareOfCases } from '../../testing/remote/databases.ts';
import { matchesNow } from '../../testing/search-oracle.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createRetentionStore } from '../retention/store.ts';
import type { BudgetLimits } from './budget.ts';
import { createFinder } from './finder.ts';
import { byListOrder } from './list-order.ts';
import { createSearchStore } from './store.ts';

type Stored = Position & { eventType: string | null; body: Uint8Array };

let server: TestServer;
let endpoint = 0;
let other = 0;
const live: Stored[] = [];
beforeAll(async () => {
  server = await openTestServer({ searchLimits: { runLength: 5 } });
  const ada = await server.createAccount();
  for (const { id } of [await ada.createEndpoint(), await ada.createEndpoint()]) {
    const owner = await server.services.account.byEmail(ada.email);
    other = endpoint;
    endpoint = (await server.services.endpoints.owned(owner, id)).seq;
  }
});
afterAll(() => server.close());

/** The same numbers in every run. */
let drawn = 0;
const random = (below: number): number =>
  Number.parseInt(createHash('sha256').update(String(drawn++)).digest('hex').slice(0, 12), 16) % below;
const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
const hex = (length: number): string => createHash('sha256').update(`hex${drawn++}`).digest('hex').slice(0, length);

const payloads = githubPayloads().filter(({ body }) => body.length < 30_000);
const startedAt = 1_790_000_000_000;

/** Stores several deliveries at once, so that blocks have several events. Times may jump. */
async function store(count: number, at: (i: number) => number): Promise<void> {
  const batch = Array.from({ length: count }, (_, i) => {
    const { event, body } = oneOf(payloads);
    const text = new TextDecoder().decode(body).replace(/[0-9a-f]{40}/g, () => hex(40));
    const kinds = [
      text,
      JSON.stringify(JSON.parse(text), null, oneOf([1, '\t', ''])),
      text.replace('{', '{"note":"Caf\\u00e9 \\ud83d\\ude00 a\\/b \\"Q\\"",'),
      text.replace('{', '{"ort":"ÜBERLINGEN ſtraße 漢字",'),
    ];
    return {
      event,
      body: new TextEncoder().encode(oneOf(kinds)),
      receivedAt: at(i),
      seq: random(5) === 0 ? other : endpoint,
    };
  });
  const events = await Promise.all(
    batch.map(({ event, body, receivedAt, seq }) =>
      server.services.capture.record(
        { seq, token: '' },
        {
          method: 'POST',
          path: '',
          query: null,
          fields: toFieldLines(['X-GitHub-Event', event]),
          body,
          sourceIp: '127.0.0.1',
          receivedAt,
        },
      ),
    ),
  );
  const { rows } = await server.services.database.client.execute({
    sql: 'SELECT seq, event_type, endpoint FROM events WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq',
    args: [JSON.stringify(events.map(({ seq }) => seq))],
  });
  for (const row of rows) {
    const seq = Number(row[0]);
    const { body, receivedAt } = batch[events.findIndex(one => one.seq === seq)] ?? {
      body: new Uint8Array(0),
      receivedAt: 0,
    };
    if (Number(row[2]) === endpoint) live.push({ seq, receivedAt, eventType: row[1] as string | null, body });
  }
}

async function remove(count: number): Promise<void> {
  const gone = Array.from({ length: Math.min(count, live.length) }, () => live.splice(random(live.length), 1)[0]);
  await createRetentionStore(server.services.database).remove(
    { endpoint, withPinned: false },
    gone.map(one => one?.seq ?? 0),
  );
}

/** A key of the text with its value, spaced differently. */
function member(text: string): string | undefined {
  const members = [...text.matchAll(/("[^"\\]+")\s*:\s*("[^"\\]*"|[\d.]+|true|null|[[{]\s*"\w+)/g)];
  if (members.length === 0) return undefined;
  const [, key = '', value = ''] = oneOf(members);
  return `${key}${oneOf([':', ': ', ' :', ' : ', ':\n\t'])}${value}`;
}

const toggleCase = (text: string): string => (random(2) ? text.toUpperCase() : text.toLowerCase());

function term(): string {
  const kind = random(10);
  if (kind === 0) return hex(6 + random(30));
  if (kind === 1)
    return oneOf([
      'push',
      'pull_request',
      'café',
      'CAFÉ 😀 A/B',
      'überlingen STRASSE',
      'ſTRA',
      '漢字',
      'a\\/b',
      '"q"',
      '\\u00e9',
    ]);
  const { eventType, body } = oneOf(live);
  const text = oneOf(searchTexts(eventType, body));
  if (kind === 2) return member(text) ?? 'push';
  const at = random(text.length);
  const piece = text.slice(at, at + 1 + random(kind < 4 ? 3 : 40));
  return (kind === 9 ? `${piece}${hex(2)}` : toggleCase(piece)) || 'x';
}

async function searchAll(
  q: string,
  budget: BudgetLimits,
  limit: number,
): Promise<{ seqs: number[]; requests: number }> {
  const finder = createFinder({
    store: createSearchStore(server.services.database.scanClient, async () => new Map()),
    monotonic: () => 0,
    indexed: true,
    budget,
  });
  const seqs: number[] = [];
  let after: Position | undefined;
  for (let requests = 1; ; requests++) {
    const { found, next } = await finder.find({ endpoint, q, since: 0, after, limit, read: backgroundRead });
    seqs.push(...found.map(({ seq }) => seq));
    after = found.length === limit ? found.at(-1) : next;
    if (!after) return { seqs, requests };
  }
}

async function compare(terms: number): Promise<void> {
  const inOrder = live.toSorted(byListOrder);
  for (let i = 0; i < terms * shareOfCases; i++) {
    const q = term();
    const matcher = createMatcher(q);
    const expected = inOrder
      .filter(({ eventType, body }) => matchesNow(matcher, eventType, body))
      .map(({ seq }) => seq);
    const budget = oneOf<BudgetLimits>([
      { ms: 1, blocks: 1 },
      { ms: 1, blocks: 7 },
      { ms: 1, blocks: 10_000 },
      { ms: 0, blocks: 10_000 },
    ]);
    const { seqs } = await searchAll(q, budget, 1 + random(30));
    expect({ q, budget, found: seqs }).toEqual({ q, budget, found: expected });
  }
}

describe('searches agree with a naive filter', () => {
  let now = startedAt;
  /** The clock goes back, stands still, and jumps ahead. */
  const times = (i: number): number => {
    now += oneOf([1, 1, 1, 5, 0, 0, -3, i === 7 ? -5000 : 1, i === 3 ? 9000 : 2]);
    return now;
  };

  test('while events are stored and deleted', async () => {
    for (let round = 0; round < 6; round++) {
      await store(30, times);
      if (round > 1) await remove(12);
      await compare(100);
    }
  }, 240_000);

  test('while signatures are put into runs', async () => {
    const { client } = server.services.database;
    let isDone = false;
    server.services.search.wake();
    const idle = server.services.background.idle().then(() => {
      isDone = true;
    });
    while (!isDone) await compare(10);
    await idle;
    const { rows } = await client.execute('SELECT count(*) FROM signature_runs WHERE state = 2');
    expect(Number(rows[0]?.[0])).toBeGreaterThan(1);
    await compare(200);
    await remove(40);
    await store(20, times);
    await compare(200);
    expect(await server.services.search.checkIndex()).toEqual([]);
  }, 240_000);

  test('with rows of 1.0 among them', async () => {
    const seqs = live.filter((_, i) => i % 3 === 0).map(({ seq }) => seq);
    await storeAsRows(server.services.database.client, seqs);
    await markRowsToPack(server);
    await compare(200);
    await store(20, times);
    await remove(10);
    await compare(100);
  }, 240_000);

  test('while rows of 1.0 and small blocks are packed', async () => {
    for (let i = 0; i < 20; i++) await store(1, times);
    const packer = createTestPacker(server, undefined, signBlock);
    let isDone = false;
    const packed = packer.run().then(() => {
      isDone = true;
    });
    while (!isDone) await compare(5);
    await packed;
    const { rows } = await server.services.database.client.execute('SELECT count(*) FROM events WHERE block IS NULL');
    expect(Number(rows[0]?.[0])).toBe(0);
    await compare(200);
    expect(await server.services.search.checkIndex()).toEqual([]);
  }, 240_000);

  test('while all signatures are rebuilt', async () => {
    let isDone = false;
    const rebuilt = server.services.search.reindex().then(() => {
      isDone = true;
    });
    while (!isDone) await compare(10);
    await rebuilt;
    await compare(100);
    await server.services.background.idle();
    await compare(100);
    expect(await server.services.search.checkIndex()).toEqual([]);
  }, 240_000);
});
