import { describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { eventually } from '../../testing/poll.ts';
import type { EventSummary } from '../events/model.ts';
import { createMessageStream } from './message-stream.ts';
import { createTail } from './tail.ts';

const event = (seq: number): EventSummary => ({
  id: `evt_${seq}`,
  eventType: null,
  platform: null,
  method: 'POST',
  receivedAt: 0,
  payloadPreview: '',
  size: 0,
  path: '',
  signatureValid: null,
});

/** A database of row numbers, some of them another endpoint's. */
function createSource(others: (seq: number) => boolean = () => false) {
  let newest = 0;
  let reads = 0;
  const own = (seqs: number[]) => seqs.filter(seq => !others(seq)).map(event);
  return {
    store: (count = 1) => {
      newest += count;
      return newest;
    },
    reads: () => reads,
    after: async (position: number, limit: number) => {
      reads++;
      const upTo = Math.min(newest, position + limit);
      const seqs = Array.from({ length: upTo - position }, (_, i) => position + 1 + i);
      return { events: own(seqs), position: upTo, more: upTo < newest };
    },
    those: async (seqs: number[]) => {
      reads++;
      return own(seqs);
    },
  };
}

const follow = (source: ReturnType<typeof createSource>, position = 0, quietMs = 10_000) =>
  createTail({ source, position, quietMs });
const take = async (tail: ReturnType<typeof follow>, count: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < count) {
    const next = await tail.next();
    if (Array.isArray(next)) ids.push(...next.map(({ id }) => id));
  }
  return ids;
};
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `evt_${from + i}`);

describe('a tail', () => {
  test('history first, then what comes, each once, although some was told of twice', async () => {
    const source = createSource();
    source.store(250);
    const tail = follow(source, 20);
    for (let seq = 240; seq <= 250; seq++) tail.recorded(seq);
    expect(await take(tail, 230)).toEqual(ids(21, 250));
    tail.recorded(source.store());
    expect(await take(tail, 1)).toEqual(['evt_251']);
  });

  test('a reader that does not ask costs no more than some numbers, and misses nothing', async () => {
    const source = createSource();
    const tail = follow(source);
    for (let i = 0; i < 5000; i++) tail.recorded(source.store());
    expect(source.reads()).toBe(0);
    expect(await take(tail, 5000)).toEqual(ids(1, 5000));
  });

  test('an arrival that overflows while history is read is not lost', async () => {
    const source = createSource();
    source.store(10);
    const tail = follow(source);
    const first = tail.next();
    for (let i = 0; i < 1200; i++) tail.recorded(source.store());
    const head = ((await first) as EventSummary[]).map(({ id }) => id);
    expect([...head, ...(await take(tail, 1210 - head.length))]).toEqual(ids(1, 1210));
  });

  test('what others stored is found when told to look, and rows of other endpoints are passed by', async () => {
    const source = createSource(seq => seq % 2 === 0);
    const tail = follow(source);
    source.store(300);
    tail.look();
    expect(await take(tail, 150)).toEqual(ids(1, 299).filter((_, i) => i % 2 === 0));
  });

  test('says so when nothing comes for a while, and wakes at once when something does', async () => {
    const source = createSource();
    expect(await follow(source, 0, 1).next()).toBe('quiet');
    const tail = follow(source);
    const waiting = take(tail, 1);
    await Promise.resolve();
    tail.recorded(source.store());
    expect(await waiting).toEqual(['evt_1']);
  });

  test('ends while it waits', async () => {
    const tail = follow(createSource());
    const waiting = tail.next();
    tail.end();
    expect(await waiting).toBeUndefined();
    expect(await tail.next()).toBeUndefined();
  });
});

describe('a message stream', () => {
  const open = () => {
    const clock = holdClock();
    const source = createSource();
    let closed = 0;
    const tail = follow(source);
    const stream = createMessageStream({ tail, monotonic: clock.monotonic, onClosed: () => closed++ });
    return { clock, source, tail, stream, closed: () => closed, reader: stream.body.getReader() };
  };
  const text = (chunk: { value?: Uint8Array | undefined }) => Buffer.from(chunk.value ?? []).toString();

  test('greets, then writes each event as a message with its id', async () => {
    const { source, tail, reader, stream, closed } = open();
    expect(text(await reader.read())).toBe(': connected\nretry: 1000\n');
    tail.recorded(source.store());
    expect(text(await reader.read())).toBe(`id: evt_1\nevent: event\ndata: ${JSON.stringify(event(1))}\n\n`);
    stream.end();
    expect((await reader.read()).done).toBe(true);
    expect(closed()).toBe(1);
  });

  test('writes an empty line after a message only', async () => {
    const source = createSource();
    const tail = createTail({ source, position: 0, quietMs: 1 });
    const { body, end } = createMessageStream({ tail, monotonic: holdClock().monotonic, onClosed: () => {} });
    const reader = body.getReader();
    let all = text(await reader.read()) + text(await reader.read());
    tail.recorded(source.store());
    while (!all.includes('data:')) all += text(await reader.read());
    all += text(await reader.read());
    end();
    expect(all).toContain(': quiet\nid: evt_1\n');
    expect(all.split('\n\n')).toEqual([expect.stringContaining('\ndata: '), ': quiet\n']);
  });

  test('knows for how long its reader has not asked; failing breaks it', async () => {
    const { clock, source, tail, reader, stream, closed } = open();
    await reader.read();
    clock.advance(30_000);
    expect(stream.stalledMs()).toBe(0);
    tail.recorded(source.store());
    await eventually(() => {
      clock.advance(1);
      return stream.stalledMs() > 0;
    });
    clock.advance(30_000);
    expect(stream.stalledMs()).toBeGreaterThan(30_000);
    stream.fail(new Error('stalled'));
    stream.fail(new Error('stalled'));
    await expect(reader.read()).rejects.toThrow('stalled');
    expect(closed()).toBe(1);
  });

  test('a reader that goes away ends it', async () => {
    const { reader, tail, closed } = open();
    await reader.cancel();
    expect(closed()).toBe(1);
    expect(await tail.next()).toBeUndefined();
  });
});
