/* The channel against a real server, and against one that fails. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createListenerPlayer, type Refusal } from '../../testing/listener.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { type Api, RefusedError } from '../client/api.ts';
import { type ChannelState, type LocalAnswer, openReplayChannel, type ReplayChannelOptions } from './replay-channel.ts';

let server: TestServer;
let ada: TestAccount;
let player: Awaited<ReturnType<typeof createListenerPlayer>>;
let endpoint: { id: string; url: string };
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  player = await createListenerPlayer(server, ada);
  endpoint = await ada.createEndpoint();
});
afterAll(() => server.close());

const destination = 'http://localhost:3000/hooks';
const answered = (over: object = {}): LocalAnswer => ({
  kind: 'answered',
  destination,
  status: 200,
  headers: [['X-A', '1']],
  body: Buffer.from('done'),
  truncated: false,
  durationMs: 7.4,
  ...over,
});

/** Calls over HTTP, as the client does. `broken`: how many of the next calls fail on their way. */
function connectionTo(origin: () => Promise<string>, broken = 0) {
  const link = { broken, calls: 0 };
  const call = async (_: string, path: string, { body, signal }: { body?: unknown; signal?: AbortSignal } = {}) => {
    link.calls++;
    if (link.broken > 0) {
      link.broken--;
      throw new Error('the line is dead');
    }
    const response = await fetch(`${await origin()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const text = await response.text();
    if (!response.ok) throw new RefusedError(response.status, text);
    return JSON.parse(text);
  };
  return { link, api: { call } as Pick<Api, 'call'> };
}

function open(name: string, options: Partial<ReplayChannelOptions> = {}, broken = 0) {
  const { link, api } = connectionTo(() => server.listen(), broken);
  const states: ChannelState[] = [];
  const channel = openReplayChannel({
    api,
    endpointId: endpoint.id,
    name,
    targets: [destination],
    deliver: async () => answered(),
    onState: state => states.push(state),
    retryMs: 1,
    ...options,
  });
  return { link, states, channel };
}
const replay = <T = object>(status: number, id: string, name: string): Promise<T> =>
  player.replay<T>(status, id, { listener: name });

describe('a replay', () => {
  test('is delivered with its bytes, and the answer goes back', async () => {
    const body = Uint8Array.of(0xff, 0, 1);
    const id = await server.deliver(endpoint, body, { suffix: '/a?b=1' });
    const got: object[] = [];
    const { channel } = open('bytes', {
      deliver: async request => {
        got.push(request);
        return answered({ body: Buffer.alloc(10_000, 'x') });
      },
    });
    await player.isListed(endpoint, 'bytes');
    expect(await replay(200, id, 'bytes')).toMatchObject({ ok: true, status: 200, durationMs: 7 });
    expect(got).toMatchObject([{ event: { id, path: '/a' }, query: 'b=1', method: 'POST', signed: false }]);
    expect(Buffer.from((got[0] as { body: Uint8Array }).body).equals(body)).toBe(true);
    expect(await player.replaysOf(id)).toMatchObject([
      { destination, via: 'listen', response: { headers: [['X-A', '1']], body: 'x'.repeat(4096), truncated: true } },
    ]);
    await channel.close();
    await player.isGone(endpoint, 'bytes');
  });

  test('whose delivery fails says why, also when `deliver` throws', async () => {
    const id = await server.deliver(endpoint);
    const outcomes = [
      async (): Promise<LocalAnswer> => ({ kind: 'failed', destination, reason: 'refused', durationMs: 1 }),
      async (): Promise<LocalAnswer> => {
        throw new Error('no map wants it');
      },
    ];
    const { channel } = open('failing', { deliver: async () => (outcomes.shift() ?? expect.unreachable())() });
    await player.isListed(endpoint, 'failing');
    for (const why of ['refused', 'no map wants it'])
      expect((await replay<Refusal>(502, id, 'failing')).error).toBe(`the listener got no answer: ${why}`);
    await channel.close();
  });

  test('that takes its time holds up no other one', async () => {
    const ids = [await server.deliver(endpoint), await server.deliver(endpoint)];
    const slow = Promise.withResolvers<LocalAnswer>();
    const { channel } = open('slow', {
      deliver: ({ event }) => (event.id === ids[0] ? slow.promise : Promise.resolve(answered({ status: 201 }))),
    });
    await player.isListed(endpoint, 'slow');
    const first = replay(200, ids[0] ?? '', 'slow');
    expect(await replay(200, ids[1] ?? '', 'slow')).toMatchObject({ status: 201 });
    slow.resolve(answered({ status: 202 }));
    expect(await first).toMatchObject({ status: 202 });
    await channel.close();
  });

  test('one after the other costs one call each', async () => {
    const id = await server.deliver(endpoint);
    const { channel, link } = open('frugal');
    await player.isListed(endpoint, 'frugal');
    for (let n = 0; n < 20; n++) await replay(200, id, 'frugal');
    expect(link.calls).toBeLessThanOrEqual(25);
    await channel.close();
  });

  test('whose way was cut off comes again, and is delivered once', async () => {
    const id = await server.deliver(endpoint);
    const { link, api } = connectionTo(() => server.listen());
    let lost = 0;
    const lossy = async (...asked: Parameters<typeof api.call>) => {
      const answer = (await api.call(...asked)) as { replays: object[] };
      if (answer.replays.length > 0 && lost++ < 3) throw new Error('the answer got lost');
      // And twice over.
      return { replays: [...answer.replays, ...answer.replays] };
    };
    let delivered = 0;
    const deliver = async () => {
      delivered++;
      return answered({ status: 201 });
    };
    const { channel } = open('lossy', { api: { call: lossy as typeof api.call }, deliver });
    await player.isListed(endpoint, 'lossy');
    expect(await replay(200, id, 'lossy')).toMatchObject({ status: 201 });
    expect([lost, delivered, link.calls > 3]).toEqual([4, 1, true]);
    await channel.close();
  });

  test('that is answered while the line is dead is answered when it is back', async () => {
    const id = await server.deliver(endpoint);
    const { channel, link } = open('patient', {
      deliver: async () => {
        link.broken = 5;
        return answered({ status: 203 });
      },
    });
    await player.isListed(endpoint, 'patient');
    expect(await replay(200, id, 'patient')).toMatchObject({ status: 203 });
    expect(link.broken).toBe(0);
    await channel.close();
  });
});

describe('the channel', () => {
  test('tells when it is connected, disconnected and connected again', async () => {
    const { channel, states } = open('states', {}, 2);
    await eventually(() => states.some(({ kind }) => kind === 'connected'));
    expect(states).toMatchObject([
      { kind: 'disconnected', reason: 'the line is dead', retryInMs: 1 },
      { kind: 'disconnected', retryInMs: 2 },
      { kind: 'connected' },
    ]);
    await channel.close();
  });

  test('shows the targets without arguments of programs, cut to the limits of the server', async () => {
    const targets = [destination, 'exec:./handle.sh --token abc', `http://localhost/${'x'.repeat(400)}`, 'a\u001bb'];
    const { channel } = open('targets', { targets });
    await player.isListed(endpoint, 'targets');
    const listed = (await player.listed(endpoint)).find(({ name }) => name === 'targets');
    expect(listed?.targets).toEqual([destination, 'exec:./handle.sh', targets[2]?.slice(0, 300) ?? '']);
    await channel.close();
  });

  test('takes a server that says nothing for dead', async () => {
    const hung = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
    const { api, link } = connectionTo(async () => `http://127.0.0.1:${hung.port}`);
    const states: ChannelState[] = [];
    const channel = openReplayChannel({
      api,
      endpointId: endpoint.id,
      name: 'silence',
      targets: [],
      deliver: async () => answered(),
      onState: state => states.push(state),
      silenceMs: 20,
      retryMs: 1,
    });
    await eventually(() => link.calls >= 3);
    expect(states[0]).toMatchObject({ kind: 'disconnected' });
    await channel.close();
    hung.stop(true);
  });

  test('ends when the server refuses it for good', async () => {
    const own = await ada.createEndpoint();
    const { channel, states } = open('ended', { endpointId: own.id });
    await eventually(async () => (await player.listed(own)).length > 0);
    await ada.json(200, 'DELETE', `/api/endpoints/${own.id}`);
    await eventually(() => states.at(-1)?.kind === 'ended');
    await channel.close();
  });

  test('closes at once during a wait, and between two tries', async () => {
    const { channel, link } = open('closing', { retryMs: 1_000_000 });
    await player.isListed(endpoint, 'closing');
    await channel.close();
    await player.isGone(endpoint, 'closing');
    const other = open('closing', { retryMs: 1_000_000 }, 1);
    await eventually(() => other.states.length === 1);
    await other.channel.close();
    // One to begin, perhaps one that waits, one to say goodbye.
    expect([link.calls <= 3, other.link.calls]).toEqual([true, 2]);
  });
});
