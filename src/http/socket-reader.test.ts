/* What the complete server gets to read of a connection, and when. */
import { expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { eventually } from '../testing/poll.ts';
import { createSocketReader, type ReadDecision } from './socket-reader.ts';

function open() {
  const socket = new PassThrough({ autoDestroy: false });
  const server = { wanted: 'now' as ReadDecision, pieces: [] as number[], ends: 0, socket };
  const feed = createSocketReader({
    socket: socket as unknown as Socket,
    attach: () => {
      socket.on('data', (piece: Buffer) => server.pieces.push(piece.length));
      socket.once('end', () => server.ends++);
    },
    appetite: () => server.wanted,
  });
  return Object.assign(server, feed);
}
const total = (pieces: number[]): number => pieces.reduce((sum, bytes) => sum + bytes, 0);

test('a lot at once comes a little at a time', () => {
  const { push, pieces } = open();
  push(Buffer.alloc(10_000));
  expect(pieces).toEqual([2048, 2048, 2048, 2048, 1808]);
});

test('the appetite may end with any piece; the rest comes when it is back, and then the end', async () => {
  const server = open();
  server.socket.on('data', () => {});
  server.wanted = 'later';
  server.push(Buffer.alloc(3000));
  server.socket.end(Buffer.alloc(500));
  await eventually(() => server.socket.readableEnded);
  expect([server.pieces, server.ends]).toEqual([[], 0]);
  server.wanted = 'now';
  server.goOn();
  expect([server.pieces, server.ends]).toEqual([[2048, 1452], 1]);
});

test('what waits beyond some kilobytes waits on the wire', async () => {
  const server = open();
  server.wanted = 'later';
  server.push(Buffer.alloc(60_000));
  expect(server.socket.isPaused()).toBe(false);
  server.push(Buffer.alloc(60_000));
  expect(server.socket.isPaused()).toBe(true);
  server.wanted = 'now';
  server.goOn();
  expect([total(server.pieces), server.socket.isPaused()]).toEqual([120_000, false]);
});

test('what nobody wants any more is thrown away, but for the end', async () => {
  const server = open();
  server.wanted = 'never';
  server.push(Buffer.alloc(100_000));
  server.socket.end(Buffer.alloc(100_000));
  await eventually(() => server.ends === 1);
  expect(server.pieces).toEqual([]);
});

test('what had ended before is told of after all that came', () => {
  const server = open();
  Object.defineProperty(server.socket, 'readableEnded', { value: true });
  const ended: number[] = [];
  const feed = createSocketReader({
    socket: server.socket as unknown as Socket,
    attach: () => {
      server.socket.on('data', (piece: Buffer) => ended.push(piece.length));
      server.socket.once('end', () => ended.push(0));
    },
    appetite: () => 'now',
  });
  feed.push(Buffer.alloc(5));
  expect(ended).toEqual([5, 0]);
});
