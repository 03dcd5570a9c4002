/* What the complete server gets to read of a connection, and when. */
import { expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { eventually } from '../../testing/poll.ts';
import { createSocketReader, type ReadDecision } from './socket-reader.ts';

function open() {
  const socket = new PassThrough({ autoDestroy: false });
  const house = { wanted: 'now' as ReadDecision, pieces: [] as number[], ends: 0, socket };
  const feed = createSocketReader({
    socket: socket as unknown as Socket,
    attach: () => {
      socket.on('data', (piece: Buffer) => house.pieces.push(piece.length));
      socket.once('end', () => house.ends++);
    },
    readDecision: () => house.wanted,
  });
  return Object.assign(house, feed);
}
const total = (pieces: number[]): number => pieces.reduce((sum, bytes) => sum + bytes, 0);

test('a lot at once comes a little at a time', () => {
  const { push, pieces } = open();
  push(Buffer.alloc(10_000));
  expect(pieces).toEqual([2048, 2048, 2048, 2048, 1808]);
});

test('the appetite may end with any piece; the rest comes when it is back, and then the end', async () => {
  const house = open();
  house.socket.on('data', () => {});
  house.wanted = 'later';
  house.push(Buffer.alloc(3000));
  house.socket.end(Buffer.alloc(500));
  await eventually(() => house.socket.readableEnded);
  expect([house.pieces, house.ends]).toEqual([[], 0]);
  house.wanted = 'now';
  house.resume();
  expect([house.pieces, house.ends]).toEqual([[2048, 1452], 1]);
});

test('what waits beyond some kilobytes waits on the wire', async () => {
  const house = open();
  house.wanted = 'later';
  house.push(Buffer.alloc(60_000));
  expect(house.socket.isPaused()).toBe(false);
  house.push(Buffer.alloc(60_000));
  expect(house.socket.isPaused()).toBe(true);
  house.wanted = 'now';
  house.resume();
  expect([total(house.pieces), house.socket.isPaused()]).toEqual([120_000, false]);
});

test('what nobody wants any more is thrown away, but for the end', async () => {
  const house = open();
  house.wanted = 'never';
  house.push(Buffer.alloc(100_000));
  house.socket.end(Buffer.alloc(100_000));
  await eventually(() => house.ends === 1);
  expect(house.pieces).toEqual([]);
});

test('what had ended before is told of after all that came', () => {
  const house = open();
  Object.defineProperty(house.socket, 'readableEnded', { value: true });
  const ended: number[] = [];
  const feed = createSocketReader({
    socket: house.socket as unknown as Socket,
    attach: () => {
      house.socket.on('data', (piece: Buffer) => ended.push(piece.length));
      house.socket.once('end', () => ended.push(0));
    },
    readDecision: () => 'now',
  });
  feed.push(Buffer.alloc(5));
  expect(ended).toEqual([5, 0]);
});
