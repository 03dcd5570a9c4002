/* What the socket reader feeds to the HTTP server, and when. */
import { expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { eventually } from '../../testing/poll.ts';
import type { ReadDecision } from '../connection/connections.ts';
import { createSocketReader } from './socket-reader.ts';

function open() {
  const socket = new PassThrough({ autoDestroy: false });
  const server = { wanted: 'now' as ReadDecision, pieces: [] as number[], ends: 0, socket };
  const feed = createSocketReader({
    socket: socket as unknown as Socket,
    attach: () => {
      socket.on('data', (piece: Buffer) => server.pieces.push(piece.length));
      socket.once('end', () => server.ends++);
    },
    readDecision: () => server.wanted,
  });
  return Object.assign(server, feed);
}
const total = (pieces: number[]): number => pieces.reduce((sum, bytes) => sum + bytes, 0);

test('many bytes are fed in small chunks', () => {
  const { push, pieces } = open();
  push(Buffer.alloc(10_000));
  expect(pieces).toEqual([2048, 2048, 2048, 2048, 1808]);
});

test('bytes are buffered while the decision is later, then fed, followed by the end', async () => {
  const server = open();
  server.socket.on('data', () => {});
  server.wanted = 'later';
  server.push(Buffer.alloc(3000));
  server.socket.end(Buffer.alloc(500));
  await eventually(() => server.socket.readableEnded);
  expect([server.pieces, server.ends]).toEqual([[], 0]);
  server.wanted = 'now';
  server.resume();
  expect([server.pieces, server.ends]).toEqual([[2048, 1452], 1]);
});

test('the socket is paused when much is buffered', async () => {
  const server = open();
  server.wanted = 'later';
  server.push(Buffer.alloc(60_000));
  expect(server.socket.isPaused()).toBe(false);
  server.push(Buffer.alloc(60_000));
  expect(server.socket.isPaused()).toBe(true);
  server.wanted = 'now';
  server.resume();
  expect([total(server.pieces), server.socket.isPaused()]).toEqual([120_000, false]);
});

test('bytes are discarded when the decision is never, but the end is reported', async () => {
  const server = open();
  server.wanted = 'never';
  server.push(Buffer.alloc(100_000));
  server.socket.end(Buffer.alloc(100_000));
  await eventually(() => server.ends === 1);
  expect(server.pieces).toEqual([]);
});

test('an end that came before is reported after all bytes', () => {
  const server = open();
  Object.defineProperty(server.socket, 'readableEnded', { value: true });
  const ended: number[] = [];
  const feed = createSocketReader({
    socket: server.socket as unknown as Socket,
    attach: () => {
      server.socket.on('data', (piece: Buffer) => ended.push(piece.length));
      server.socket.once('end', () => ended.push(0));
    },
    readDecision: () => 'now',
  });
  feed.push(Buffer.alloc(5));
  expect(ended).toEqual([5, 0]);
});
