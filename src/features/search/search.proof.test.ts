import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMatcher } from '../../core/blocks/search-text.ts';
import { matchesNow } from '../../testing/search-oracle.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Page = { events: { id: string; receivedAt: number }[]; nextCursor: string | null };

let server: TestServer;
let owner: TestAccount;

const listPath = (endpointId: string, q: string, more: Record<string, string> = {}): string =>
  `/api/events?${new URLSearchParams({ endpointId, q, ...more })}`;

/** Ids of all pages. */
async function search(endpointId: string, q: string, limit = 2): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: Record<string, string> = { limit: String(limit), ...(cursor !== '' && { cursor }) };
    const page: Page = await owner.json<Page>(200, 'GET', listPath(endpointId, q, more));
    ids.push(...page.events.map(event => event.id));
    cursor = page.nextCursor;
  }
  return ids;
}

const endpointSeq = async (id: string): Promise<number> => {
  const { rows } = await server.services.database.client.execute({
    sql: 'SELECT seq FROM endpoints WHERE id = ?',
    args: [id],
  });
  return Number(rows[0]?.[0]);
};

/** Stores deliveries without a socket. @returns ids in order of capture */
async function record(
  endpoint: string,
  bodies: readonly (string | Uint8Array)[],
  receivedAt: (i: number) => number = i => 1_790_000_000_000 + i,
): Promise<string[]> {
  const seq = await endpointSeq(endpoint);
  const all = bodies.map((body, i) =>
    server.services.capture.record(
      { seq, token: '' },
      {
        method: 'POST',
        path: '',
        query: null,
        fields: new Uint8Array(0),
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
        sourceIp: '127.0.0.1',
        receivedAt: receivedAt(i),
      },
    ),
  );
  return (await Promise.all(all)).map(({ id }) => id);
}

const indexed = () => server.services.background.idle();

describe.each([
  ['with the usual budget', {}],
  ['with a budget that every step exceeds', { budget: { ms: 0, blocks: 1 } }],
])('GET /api/events?q=, %s', (_name, searchLimits) => {
  beforeAll(async () => {
    server = await openTestServer({ searchLimits });
    owner = await server.createAccount();
  });
  afterAll(() => server.close());

  test('finds the same events right after they are stored and once they are indexed', async () => {
    const { id } = await owner.createEndpoint();
    const [push, issue, binary] = await record(id, [
      '{"action":"pushed","path":"a\\/b","name":"Caf\\u00e9"}',
      '{"action":"opened","note":"100% \\"sure\\""}',
      new Uint8Array([0x70, 0x75, 0x73, 0x68, 0xff]),
    ]);
    for (const _ of ['before', 'after']) {
      expect(await search(id, 'PUSHED')).toEqual([push ?? '']);
      expect(await search(id, 'a/b')).toEqual([push ?? '']);
      expect(await search(id, 'a\\/b')).toEqual([push ?? '']);
      expect(await search(id, 'CAFÉ')).toEqual([push ?? '']);
      expect(await search(id, '0% "s')).toEqual([issue ?? '']);
      expect(await search(id, '"action"')).toEqual([issue ?? '', push ?? '']);
      expect(await search(id, '_ction')).toEqual([]);
      expect(await search(id, '')).toEqual([binary ?? '', issue ?? '', push ?? '']);
      await indexed();
    }
  });

  test('a q of more than 1000 characters is refused with 400, before an unknown endpoint with 404', async () => {
    expect((await owner.call('GET', listPath('ep_none', '😀'.repeat(1001)))).status).toBe(400);
    expect((await owner.call('GET', listPath('ep_none', '😀'.repeat(1000)))).status).toBe(404);
  });

  test('finds events by type', async () => {
    const { id } = await owner.createEndpoint();
    const [one = ''] = await record(id, [new Uint8Array([0xff])]);
    await server.services.database.client.execute({
      sql: "UPDATE events SET event_type = 'Order.Paid' WHERE endpoint = ?",
      args: [await endpointSeq(id)],
    });
    await server.services.search.reindex();
    expect(await search(id, 'order.paid')).toEqual([one]);
    expect(await search(id, 'rd')).toEqual([one]);
  });

  test('finds a body that is too large for the index', async () => {
    const { id } = await owner.createEndpoint();
    const [large = ''] = await record(id, [`${'x'.repeat(1 << 20)} needle in there`, 'small']);
    expect(await search(id, 'needle in')).toEqual([large]);
    await indexed();
    expect(await search(id, 'needle in')).toEqual([large]);
    expect(await search(id, 'needle at')).toEqual([]);
  });

  test('does not find events of another endpoint', async () => {
    const [here, there] = [await owner.createEndpoint(), await owner.createEndpoint()];
    const [mine = ''] = await record(here.id, ['{"word":"shibboleth"}']);
    await record(there.id, ['{"word":"shibboleth"}', '{"word":"shibboleth"}']);
    expect(await search(here.id, 'shibboleth')).toEqual([mine]);
    await indexed();
    expect(await search(here.id, 'shibboleth')).toEqual([mine]);
  });

  test('keeps the list order after the clock went back, and pages have no gaps or repeats while events arrive', async () => {
    const { id } = await owner.createEndpoint();
    const bodies = Array.from({ length: 1500 }, (_, i) => `{"n":${i},"kind":"${i % 3 === 0 ? 'fizzbuzz' : 'other'}"}`);
    // Times go forwards, backwards, and repeat.
    const at = (i: number): number => 1_790_000_000_000 + (i < 700 ? i : 1400 - i) * 2;
    const ids = await record(id, bodies, at);
    const expected = ids
      .map((one, i) => ({ one, i }))
      .filter(({ i }) => i % 3 === 0)
      .sort((a, b) => at(b.i) - at(a.i) || b.i - a.i)
      .map(({ one }) => one);
    await indexed();
    const first = await owner.json<Page>(200, 'GET', listPath(id, 'FizzBuzz', { limit: '40' }));
    const seen = first.events.map(event => event.id);
    let { nextCursor } = first;
    for (let round = 0; nextCursor !== null; round++) {
      await record(id, ['{"kind":"fizzbuzz"}'], () => 1_800_000_000_000 + round);
      const more: Record<string, string> = { limit: '40', cursor: nextCursor };
      const page: Page = await owner.json<Page>(200, 'GET', listPath(id, 'FizzBuzz', more));
      seen.push(...page.events.map(event => event.id));
      nextCursor = page.nextCursor;
    }
    expect(seen).toEqual(expected);
    // More candidates than one query returns.
    expect((await search(id, '"kind"', 100)).length).toBeGreaterThan(1500);
  }, 120_000);

  test('does not find events past the retention window', async () => {
    const { id } = await owner.createEndpoint();
    const now = Date.now();
    const [, young = ''] = await record(id, ['ancient word', 'ancient word'], i =>
      i === 0 ? now - 91 * 86_400_000 : now,
    );
    expect(await search(id, 'ancient')).toEqual([young]);
    await indexed();
    expect(await search(id, 'ancient')).toEqual([young]);
    expect(await search(id, 'an')).toEqual([young]);
  });

  test('agrees with a naive filter, before and after indexing and deleting', async () => {
    const unit = fc.constantFrom(
      'a',
      'b',
      'A',
      'É',
      'é',
      '"',
      '\\',
      '/',
      '%',
      '_',
      '*',
      ' ',
      '\0',
      '😀',
      '漢',
      'ß',
      'Σ',
      'ς',
    );
    const body = fc.oneof(
      fc.string({ unit, maxLength: 30 }),
      fc
        .string({ unit, maxLength: 30 })
        .map(value => JSON.stringify({ value }).replaceAll('/', '\\/').replaceAll('é', '\\u00e9')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(body, { minLength: 1, maxLength: 12 }),
        fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 4 }),
        fc.nat(11),
        async (bodies, terms, gone) => {
          const { id } = await owner.createEndpoint();
          const ids = await record(id, bodies);
          const live = ids.map((one, i) => ({ one, bytes: new TextEncoder().encode(bodies[i] ?? '') })).reverse();
          const agree = async () => {
            for (const q of [...terms, ...bodies.map(text => [...text].slice(3, 9).join('')).filter(Boolean)]) {
              const matcher = createMatcher(q);
              const expected = live.filter(({ bytes }) => matchesNow(matcher, null, bytes)).map(({ one }) => one);
              expect({ q, found: await search(id, q, 3) }).toEqual({ q, found: expected });
            }
          };
          await agree();
          await indexed();
          await agree();
          const [removed] = live.splice(gone % live.length, 1);
          const { rows } = await server.services.database.client.execute({
            sql: 'SELECT seq FROM events WHERE endpoint = ? ORDER BY seq DESC',
            args: [await endpointSeq(id)],
          });
          const seq = Number(rows[gone % (live.length + 1)]?.[0]);
          expect(removed).toBeDefined();
          await server.services.database.client.execute({ sql: 'DELETE FROM events WHERE seq = ?', args: [seq] });
          await agree();
        },
      ),
      { numRuns: 15 },
    );
    expect(await server.services.search.checkIndex()).toEqual([]);
  }, 120_000);
});
