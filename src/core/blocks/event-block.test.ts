import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { SignedEvent } from './block-signature.ts';
import {
  createBlockBuilder,
  type EventText,
  maxBlockBytes,
  type PackedBlock,
  readRecord,
  readRecords,
  unpackBlock,
  unpackLargeBlock,
} from './event-block.ts';
import { DamagedError } from './stored-content.ts';

const text = (given: Partial<EventText> = {}) => ({
  path: '/a',
  query: null,
  sourceIp: '127.0.0.1',
  headersJson: '[["A","b"]]',
  body: new Uint8Array(0),
  eventType: null,
  receivedAt: 1,
  ...given,
});

/** Packs the events, whose row numbers are given. */
function packAll(events: readonly (EventText & SignedEvent & { seq: number })[]) {
  const builder = createBlockBuilder();
  const blocks: PackedBlock[] = [];
  const places: [block: number, start: number][] = [];
  for (const event of events) {
    let start = builder.add(event.seq, event);
    if (start === undefined) {
      blocks.push(builder.take(null));
      start = builder.add(event.seq, event) ?? -1;
    }
    places.push([blocks.length, start]);
  }
  if (builder.events() > 0) blocks.push(builder.take(null));
  return { blocks, places };
}

const latin1 = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map(code => String.fromCharCode(code)),
  maxLength: 40,
});
/** Mostly small, some around the edge of a block, some larger. */
const body = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 3000 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: maxBlockBytes - 60, max: maxBlockBytes + 10 }).map(size => new Uint8Array(size)),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000 }).map(size => new Uint8Array(size).fill(size)) },
);

describe('a block', () => {
  test('any events are read back, from blocks of at most 64 KiB or of one event', () => {
    const event = fc.record({
      gap: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(2 ** 40)),
      path: latin1,
      query: fc.option(latin1),
      sourceIp: fc.string({ maxLength: 20, unit: 'grapheme' }),
      headersJson: fc.string({ unit: 'grapheme' }).map(name => JSON.stringify([[name, 'x']])),
      body,
      eventType: fc.constant(null),
      receivedAt: fc.constant(1),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 30 }), given => {
        let last = 0;
        const events = given.map(({ gap, ...one }) => {
          last += gap;
          return { ...one, seq: last };
        });
        const { blocks, places } = packAll(events);
        const unpacked = blocks.map(unpackBlock);
        for (const [i, { seq, path, query, sourceIp, headersJson, body }] of events.entries()) {
          const [at, start] = places[i] ?? [0, 0];
          const record = readRecord(unpacked[at] as Buffer, start, blocks[at]?.firstEvent ?? 0);
          expect([record.seq, record.path.toString('latin1'), record.query?.toString('latin1') ?? null]).toEqual([
            seq,
            path,
            query,
          ]);
          expect([record.sourceIp, record.headers.toString()]).toEqual([sourceIp, headersJson]);
          expect(record.body.equals(body)).toBe(true);
        }
        for (const [at, block] of blocks.entries()) {
          const records = [...readRecords(unpacked[at] as Buffer, block.firstEvent)];
          const { firstEvent, lastEvent, events: count, bytes } = block;
          expect([records.length, records[0]?.seq, records.at(-1)?.seq]).toEqual([count, firstEvent, lastEvent]);
          expect(bytes <= maxBlockBytes || count === 1).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a record of another block is copied unchanged', () => {
    const [first] = packAll([{ seq: 7, ...text({ query: '', body: Buffer.from('one') }) }]).blocks;
    const builder = createBlockBuilder();
    builder.add(900, text());
    const record = readRecord(unpackBlock(first as PackedBlock), 0, 7);
    const start = builder.addTail(2000, record.tail, { ...text(), body: record.body });
    const block = builder.take(null);
    expect([block.firstEvent, block.lastEvent, block.events]).toEqual([900, 2000, 2]);
    const moved = readRecord(unpackBlock(block), start ?? 0, 900);
    expect([moved.seq, moved.body.toString(), moved.query?.length]).toEqual([2000, 'one', 0]);
  });

  test('a large one is unpacked on another thread to the same bytes', async () => {
    for (const large of [new Uint8Array(2 << 20), crypto.getRandomValues(new Uint8Array(65536))]) {
      const [block] = packAll([{ seq: 1, ...text({ body: large }) }]).blocks;
      expect((await unpackLargeBlock(block as PackedBlock)).equals(unpackBlock(block as PackedBlock))).toBe(true);
    }
  });

  const [small] = packAll([{ seq: 1, ...text({ body: Buffer.from('abc') }) }]).blocks as [PackedBlock];
  const [packed] = packAll([{ seq: 1, ...text({ body: new Uint8Array(5000) }) }]).blocks as [PackedBlock];
  test.each([
    ['nothing', { ...small, content: new Uint8Array() }],
    ['cut short', { ...small, content: small.content.subarray(0, -1) }],
    ['one other bit', { ...small, content: small.content.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) }],
    ['the content of another', { ...small, content: packed.content, encoding: 1 }],
    ['plain taken for packed', { ...small, encoding: 1 }],
    ['packed taken for plain', { ...packed, encoding: 0 }],
    ['packed and cut short', { ...packed, content: packed.content.subarray(0, -4) }],
  ])('damaged, %s: an error, not half an event', async (_name, block) => {
    expect(() => unpackBlock(block)).toThrow(DamagedError);
    expect(await unpackLargeBlock(block).catch(error => error)).toBeInstanceOf(DamagedError);
  });

  test('reading at an offset that is not the start of a record gives an error or another row number', () => {
    const { blocks } = packAll([10, 20, 30].map(seq => ({ seq, ...text({ body: Buffer.from(`body ${seq}`) }) })));
    const records = unpackBlock(blocks[0] as PackedBlock);
    const starts = [...readRecords(records, 10)].map(({ start }) => start);
    expect(() => readRecord(records, records.length, 10)).toThrow(DamagedError);
    expect(readRecord(records, starts[1] ?? 0, 10).seq).toBe(20);
  });
});
