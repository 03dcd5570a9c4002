/* GET /api/endpoints/{id}/stream?changes=true: pins, tags and deletions that others make. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { readSse, type SseReader } from '../../testing/sse.ts';
import { createFakeSource, summaryOf } from '../../testing/tail-source.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createTail } from './tail.ts';

let server: TestServer;
let ada: TestAccount;
let origin: string;
beforeAll(async () => {
  server = await openTestServer();
  origin = await server.listen();
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

const follow = async ({ id }: { id: string }, query: string): Promise<SseReader> => {
  const stream = await readSse(`${origin}/api/endpoints/${id}/stream${query}`, { authorization: `Bearer ${ada.key}` });
  await eventually(() => stream.text() !== '');
  return stream;
};

describe('a stream with changes', () => {
  test('has a message for each pin, tags, unpin and deletion, without an id, and none of other endpoints', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const [old, id, foreign] = [
      await server.deliver(endpoint),
      await server.deliver(endpoint),
      await server.deliver(other),
    ];
    const stream = await follow(endpoint, '?changes=true');
    await ada.json(200, 'PUT', `/api/events/${foreign}/tags`, { tags: ['theirs'] });
    const changes = [
      await ada.json(200, 'PUT', `/api/events/${id}/pin`, { name: 'golden' }),
      (await stream.count(1)) && (await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['a'] })),
    ];
    await stream.count(2);
    await ada.json(200, 'DELETE', `/api/events/${id}/pin`);
    await stream.count(3);
    await ada.json(200, 'DELETE', `/api/events/${old}`);
    await stream.count(4);
    const late = await server.deliver(endpoint);
    await stream.count(5);
    expect(stream.messages).toEqual([
      { id: '', event: 'changed', data: changes[0] ?? {} },
      { id: '', event: 'changed', data: changes[1] ?? {} },
      { id: '', event: 'changed', data: { ...changes[1], pin: null } },
      { id: '', event: 'deleted', data: { id: old } },
      { id: late, event: 'event', data: expect.objectContaining({ id: late }) },
    ]);
    stream.close();
  });

  test('is asked for: other streams have only events', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const streams = [await follow(endpoint, ''), await follow(endpoint, '?changes=false')];
    const asked = await follow(endpoint, '?changes=true');
    await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['a'] });
    await asked.count(1);
    const late = await server.deliver(endpoint);
    for (const stream of streams) {
      await stream.count(1);
      expect(stream.messages.map(message => [message.event, message.id])).toEqual([['event', late]]);
    }
    for (const stream of [...streams, asked]) stream.close();
  });

  test('with a filter, tells of changes of all events, because one may match now', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const stream = await follow(endpoint, '?changes=true&where=tag:golden');
    await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['golden'] });
    expect((await stream.count(1)).map(({ event, data }) => [event, data['id']])).toEqual([['changed', id]]);
    stream.close();
  });

  test('400 for another value', async () => {
    const { id } = await ada.createEndpoint();
    expect((await ada.call('GET', `/api/endpoints/${id}/stream?changes=1`)).status).toBe(400);
  });
});

describe('a tail with changes', () => {
  const change = (seq: number) => ({ endpoint: 1, seq, id: `evt_${seq}` });
  const setUp = () => {
    const source = createFakeSource();
    const reads: number[][] = [];
    const listChanged = async (seqs: number[]) => {
      reads.push(seqs);
      return source.listBySeq(seqs.filter(seq => seq !== 2));
    };
    const verify = async (): Promise<void> => {};
    const tail = createTail({
      source: { ...source, listChanged },
      position: 0,
      isShared: false,
      access: { verify, isDue: () => false },
      monotonic: () => performance.now(),
    });
    return { source, tail, reads };
  };

  test('gives out a change once, also when it was made several times and while nobody read', async () => {
    const { source, tail, reads } = setUp();
    source.store(3);
    await tail.next({ waitMs: 0 });
    for (const seq of [3, 1, 3, 2]) tail.changed(change(seq));
    expect(await tail.next({ waitMs: 0 })).toEqual({
      kind: 'changes',
      changed: [summaryOf(1), summaryOf(3)],
      removed: ['evt_2'],
    });
    expect(await tail.next({ waitMs: 0 })).toEqual({ kind: 'timeout' });
    expect(reads).toHaveLength(1);
  });

  test('leaves out changes of events that are still to come, which are read as they are then', async () => {
    const { source, tail, reads } = setUp();
    tail.changed(change(1));
    expect(await tail.next({ waitMs: 0 })).toEqual({ kind: 'timeout' });
    tail.recorded(source.store());
    tail.changed(change(1));
    expect(await tail.next({ waitMs: 0 })).toMatchObject({ kind: 'events' });
    expect(await tail.next({ waitMs: 0 })).toMatchObject({ kind: 'changes', changed: [summaryOf(1)] });
    expect(reads).toHaveLength(1);
  });

  test('wakes a reader that waits, and remembers a bounded number for one that does not', async () => {
    const { source, tail } = setUp();
    source.store(2000);
    while ((await tail.next({ waitMs: 0 })).kind === 'events');
    const waiting = tail.next({ waitMs: 10_000 });
    await Promise.resolve();
    tail.changed(change(7));
    expect(await waiting).toMatchObject({ kind: 'changes', changed: [summaryOf(7)] });
    for (let seq = 3; seq <= 2000; seq++) tail.changed(change(seq));
    const next = await tail.next({ waitMs: 0 });
    expect(next.kind === 'changes' && next.changed.length).toBe(500);
  });
});
