/* What happens to replays when a listener disconnects. */
import { expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { randomBytes } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createConnections, type ReplayToListener } from './connections.ts';

const identity = { endpoint: 1, name: 'laptop', instance: 'one-run-of-it', accountId: 'acc_1' };
const about = { email: 'ada@example.com', targets: [] };
const replay: ReplayToListener = {
  seq: 1,
  query: null,
  method: 'POST',
  headers: [],
  body: new Uint8Array(),
  isSigned: false,
  isEdited: false,
};
const open = (graceMs: number) => createConnections({ clock: holdClock(), random: randomBytes, graceMs });
const limits = (signal = new AbortController().signal) => ({ timeoutMs: 60_000, signal });

test('a listener that goes away in the middle of a replay is not listed, and may come back with the answer', async () => {
  const connections = open(60_000);
  const connection = connections.enter(identity, about);
  const outcome = connections.send(identity, replay, limits());
  const [pending] = connection.waiting.splice(0);
  connection.taken.set('a', pending ?? expect.unreachable());
  connections.leave(connection, true);
  expect(connections.list(1)).toEqual([]);
  expect(await connections.send(identity, replay, limits())).toEqual({ kind: 'absent' });
  const again = connections.enter(identity, about);
  expect(again).toBe(connection);
  again.taken.get('a')?.settle({ kind: 'unreachable', reason: 'known' });
  expect(await outcome).toMatchObject({ reason: 'known' });
  connections.remove(again);
});

test('when it does not come back, its replays fail, and nothing of it is left', async () => {
  const connections = open(1);
  const connection = connections.enter(identity, about);
  const [one, two] = [connections.send(identity, replay, limits()), connections.send(identity, replay, limits())];
  const [pending] = connection.waiting.splice(0, 1);
  connection.taken.set('a', pending ?? expect.unreachable());
  connections.leave(connection, true);
  const reason = 'the listener has disconnected';
  expect(await Promise.all([one, two])).toMatchObject([
    { kind: 'unreachable', reason },
    { kind: 'unreachable', reason },
  ]);
  expect([connections.find(identity), connections.count()]).toEqual([undefined, 0]);
});

test('of two of one name the newest gets the replay, and when it has gone, the other one', () => {
  const connections = open(60_000);
  const [first, second] = ['first-run', 'second-run'].map(instance =>
    connections.enter({ ...identity, instance }, about),
  );
  const send = () => void connections.send(identity, replay, limits());
  send();
  expect([first?.waiting.length, second?.waiting.length]).toEqual([0, 1]);
  if (second) connections.remove(second);
  send();
  expect(first?.waiting.length).toBe(1);
  if (first) connections.remove(first);
});

test('a replay that is cancelled, as by a shutdown, is not given out any more', async () => {
  const connections = open(60_000);
  const connection = connections.enter(identity, about);
  const stopping = new AbortController();
  const outcome = connections.send(identity, replay, limits(stopping.signal));
  stopping.abort();
  expect(await outcome).toMatchObject({ kind: 'unreachable', reason: 'the request was cancelled' });
  expect(connection.waiting).toEqual([]);
  connections.remove(connection);
});

test('50 replays at most wait for one listener', async () => {
  const connections = open(60_000);
  const connection = connections.enter(identity, about);
  const waiting = Array.from({ length: 50 }, () => connections.send(identity, replay, limits()));
  expect(await thrownBy(connections.send(identity, replay, limits()))).toThrow('too many replays wait');
  connections.remove(connection);
  await Promise.all(waiting);
});

test('50 connections of one account at most, on whatever endpoints', () => {
  const connections = open(60_000);
  const made = Array.from({ length: 50 }, (_, endpoint) => connections.enter({ ...identity, endpoint }, about));
  expect(() => connections.enter({ ...identity, endpoint: 50 }, about)).toThrow('listeners of an account');
  connections.enter({ ...identity, endpoint: 50, accountId: 'acc_2' }, about);
  for (const one of made) connections.remove(one);
  expect(connections.count()).toBe(1);
});
