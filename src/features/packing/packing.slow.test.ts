/* The packer joins small blocks and packs rows of 1.0, also while events are deleted. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { unknownFacts } from '../../core/blocks/block-facts.ts';
import { contentProblems } from '../../db/checks/content-check.ts';
import { rowsOf } from '../../testing/events.ts';
import {
  createTestPacker,
  type Expected,
  expectEvents,
  type Given,
  insertEvents,
  markRowsToPack,
  packedEvent,
  removeEvents,
} from '../../testing/packing.ts';
import { cases } from '../../testing/proofs.ts';
import { damageEvent, storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createPackingService } from './service.ts';
import type { PackingStore } from './store.ts';

let server: TestServer;
beforeEach(async () => {
  server = await openTestServer();
});
afterEach(() => server.close());

const countBlocks = async (where = 'true'): Promise<number> =>
  Number((await rowsOf(server, `SELECT count(*) FROM blocks WHERE ${where}`))[0]?.[0]);

const small = (endpoint: number, size = 1000): Given => ({ endpoint, size, compresses: true });

describe('the packer', () => {
  test('leaves the blocks of a deleted endpoint, whose events are being removed', async () => {
    const { database } = server.services;
    await database.client.batch([
      "INSERT INTO teams (id, plan, created_at) VALUES ('t', 'pro', 0)",
      "INSERT INTO endpoints (seq, id, team_id, name, token, created_at, deleted_at) VALUES (7, 'a', 't', '', 'a', 0, 9), (8, 'b', 't', '', 'b', 0, NULL)",
    ]);
    const expected: Expected = new Map();
    for (let i = 0; i < 20; i++) await insertEvents(server, [packedEvent(small(7)), packedEvent(small(8))], expected);
    await createTestPacker(server).run();
    expect([await countBlocks('endpoint = 7'), await countBlocks('endpoint = 8')]).toEqual([20, 1]);
  });

  test('keeps every event unchanged while events are stored, packed, packed again and deleted', async () => {
    const given = fc.record({
      endpoint: fc.integer({ min: 1, max: 4 }),
      size: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 4000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 65_400, max: 65_600 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
      ),
      compresses: fc.boolean(),
    });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ insert: fc.array(given, { minLength: 1, maxLength: 12 }) }) },
      { weight: 2, arbitrary: fc.record({ remove: fc.array(fc.nat(), { maxLength: 8 }) }) },
      { weight: 1, arbitrary: fc.record({ asRows: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }) }) },
      { weight: 2, arbitrary: fc.record({ pack: fc.integer({ min: 1, max: 6 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async steps => {
        const expected: Expected = new Map();
        let packer = createTestPacker(server);
        const chosen = (numbers: number[]) => {
          const seqs = [...expected.keys()];
          return [...new Set(numbers.map(n => seqs[n % seqs.length] ?? 0))].filter(seq => seq > 0);
        };
        for (const one of steps) {
          if ('insert' in one) await insertEvents(server, one.insert.map(packedEvent), expected);
          else if ('remove' in one) await removeEvents(server, chosen(one.remove), expected);
          else if ('pack' in one) for (let n = 0; n < one.pack; n++) await packer.slice();
          else {
            const inBlocks = new Set(
              (await rowsOf(server, 'SELECT seq FROM events WHERE block IS NOT NULL')).map(row => Number(row[0])),
            );
            await storeAsRows(
              server.services.database.client,
              chosen(one.asRows).filter(seq => inBlocks.has(seq)),
            );
            await markRowsToPack(server);
            packer = createTestPacker(server);
          }
        }
        await expectEvents(server, expected);
        await createTestPacker(server).run();
        await expectEvents(server, expected);
        expect((await rowsOf(server, 'SELECT count(*) FROM events WHERE block IS NULL'))[0]?.[0]).toBe(0);
        await removeEvents(server, [...expected.keys()], expected);
        expect(await countBlocks()).toBe(0);
      }),
      { numRuns: cases(25) },
    );
  }, 120_000);

  test('joins the small blocks of each endpoint into full ones, and signs them', async () => {
    const expected: Expected = new Map();
    for (let n = 0; n < 150; n++) await insertEvents(server, [packedEvent(small(1)), packedEvent(small(2))], expected);
    for (let n = 0; n < 3; n++) await insertEvents(server, [packedEvent(small(3))], expected);
    const signed: number[] = [];
    await createTestPacker(server, undefined, events => {
      signed.push(events.length);
      return {
        newest: 1,
        oldest: 1,
        facts: unknownFacts(),
        filter: Uint8Array.of(events.length),
        values: new Uint8Array(4),
      };
    }).run();
    // Sixteen small blocks are joined into one, and four of those into one of 64 KiB.
    expect([await countBlocks('endpoint = 1'), await countBlocks('endpoint = 2')].every(count => count <= 6)).toBe(
      true,
    );
    expect(await countBlocks('endpoint = 3')).toBe(3);
    expect(
      await countBlocks(
        'bytes > 65536 OR (bytes > 20000 AND seq NOT IN (SELECT block FROM block_signatures WHERE length(filter) = 1))',
      ),
    ).toBe(0);
    expect(signed.reduce((sum, count) => sum + count)).toBeLessThan(3 * 300);
    await expectEvents(server, expected);
  });

  test('finishes when the count of a block is wrong', async () => {
    const expected: Expected = new Map();
    for (let n = 0; n < 20; n++) await insertEvents(server, [packedEvent(small(1))], expected);
    await server.services.database.client.execute('UPDATE blocks SET events = 2 WHERE seq = 3');
    const packer = createTestPacker(server);
    let slices = 0;
    while ((await packer.slice()) === 'more' && slices < 50) slices++;
    expect(slices).toBeLessThan(50);
    await server.services.database.client.execute('UPDATE blocks SET events = 1 WHERE seq = 3');
    await expectEvents(server, expected);
  });

  test('moves rows of 1.0 into blocks, oldest first, and continues where it stopped', async () => {
    const expected: Expected = new Map();
    const seqs = await insertEvents(
      server,
      Array.from({ length: 200 }, (_, n) => packedEvent(small(1 + (n % 2), n === 70 ? 300_000 : 1000))),
      expected,
    );
    await storeAsRows(server.services.database.client, seqs);
    await markRowsToPack(server);
    expect(await countBlocks()).toBe(0);
    await createTestPacker(server).slice();
    const { rows } = await server.services.database.client.execute(
      'SELECT max(seq), min(seq) FROM events GROUP BY block IS NULL ORDER BY 1',
    );
    expect(Number(rows[0]?.[0])).toBe(Number(rows[1]?.[1]) - 1);
    await createTestPacker(server).run();
    expect(
      await rowsOf(
        server,
        "SELECT count(*) FROM events WHERE block IS NULL OR length(content || sha256) > 0 OR (size < 65536 AND path <> x'')",
      ),
    ).toEqual([[0]]);
    expect(await rowsOf(server, "SELECT count(*) FROM meta WHERE name = 'rows-to-pack'")).toEqual([[0]]);
    await expectEvents(server, expected);
  });

  test('packs the remaining events when some are deleted between its read and its write', async () => {
    const expected: Expected = new Map();
    const seqs: number[] = [];
    for (let n = 0; n < 40; n++) seqs.push(...(await insertEvents(server, [packedEvent(small(1))], expected)));
    await storeAsRows(server.services.database.client, seqs.slice(0, 10));
    await markRowsToPack(server);
    const gone = [
      [2, 5],
      [12, 13, 14],
    ];
    const { run } = createTestPacker(server, store => ({
      ...store,
      pack: async packing => {
        const [now = []] = gone.splice(0, 1);
        await removeEvents(
          server,
          now.map(at => seqs[at] ?? 0),
          expected,
        );
        return store.pack(packing);
      },
    }));
    await run();
    expect(gone).toEqual([]);
    await expectEvents(server, expected);
  });

  test('creates no block when all events were deleted in the meantime', async () => {
    const expected: Expected = new Map();
    for (let n = 0; n < 20; n++) await insertEvents(server, [packedEvent(small(1))], expected);
    const { run } = createTestPacker(server, store => ({
      ...store,
      pack: async packing => {
        await removeEvents(server, [...expected.keys()], expected);
        return store.pack(packing);
      },
    }));
    await run();
    expect(await countBlocks()).toBe(0);
  });

  test('two packers at once lose no events', async () => {
    const expected: Expected = new Map();
    for (let n = 0; n < 60; n++) await insertEvents(server, [packedEvent(small(1 + (n % 2)))], expected);
    await storeAsRows(server.services.database.client, [...expected.keys()].slice(0, 30));
    await markRowsToPack(server);
    await Promise.all([createTestPacker(server).run(), createTestPacker(server).run()]);
    await expectEvents(server, expected);
  });

  test('leaves damaged events unchanged and continues', async () => {
    const expected: Expected = new Map();
    for (let n = 0; n < 40; n++) await insertEvents(server, [packedEvent(small(1))], expected);
    await damageEvent(server.services.database.client, 12, 'unreadable');
    await storeAsRows(server.services.database.client, [3, 4, 5]);
    await server.services.database.client.execute("UPDATE events SET content = x'00ffffff' WHERE seq = 4");
    await markRowsToPack(server);
    await createTestPacker(server).run();
    expect(await contentProblems(server.services.database.client)).toHaveLength(2);
    expect(await rowsOf(server, 'SELECT seq FROM events WHERE block IS NULL')).toEqual([[4]]);
    expect(await countBlocks()).toBeLessThan(10);
  });

  test('does nothing when no event was stored since its last pass', async () => {
    const expected: Expected = new Map();
    await insertEvents(server, [packedEvent(small(1))], expected);
    const asked: string[] = [];
    const { slice, run } = createTestPacker(
      server,
      store =>
        Object.fromEntries(
          Object.entries(store).map(([name, call]) => [
            name,
            (...args: unknown[]) => {
              asked.push(name);
              return (call as (...given: unknown[]) => unknown)(...args);
            },
          ]),
        ) as PackingStore,
    );
    await run();
    asked.length = 0;
    expect(await slice()).toBe('done');
    expect(asked).toEqual(['lastBlock']);
  });

  test('pauses between its steps under load', async () => {
    let time = 0;
    let slice: () => Promise<unknown> = async () => 'done';
    createPackingService({
      store: {
        rowsToPack: async () => undefined,
        lastBlock: async () => ++time,
        endpointToPack: async () => undefined,
      } as unknown as PackingStore,
      sign: null,
      monotonic: () => time,
      isBusy: () => true,
      background: {
        add: job => {
          slice = job.slice;
          return { wake: () => {} };
        },
      },
    });
    expect(await slice()).toBe('done');
    expect(await slice()).toEqual({ restMs: 50 });
  });
});
