import { expect, test } from 'bun:test';
import type { HeaderPair } from '../headers.ts';
import { replayHeaders, sentHeaders } from './replay-headers.ts';

const sent = (pairs: readonly HeaderPair[]) =>
  sentHeaders(replayHeaders(pairs), { eventId: 'evt_1', isEdited: false }).slice(0, -1);

test('headers of the platform keep order, case and repeats', () => {
  const platform = [
    ['Content-Type', 'application/json'],
    ['X-GitHub-Event', 'push'],
    ['x-hub-signature-256', 'sha256=00'],
    ['Accept', '*/*'],
    ['X-Repeat', '1'],
    ['x-repeat', '2'],
    ['User-Agent', 'GitHub-Hookshot/1'],
  ] as const;
  expect(sent(platform)).toEqual(platform.map(pair => [...pair]));
});

test.each([
  'Authorization',
  'COOKIE',
  'Proxy-Authorization',
  'Connection',
  'Keep-Alive',
  'Proxy-Connection',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'Host',
  'Content-Length',
  'Expect',
  'Accept-Encoding',
  'Forwarded',
  'X-Forwarded-For',
  'x-forwarded-proto',
  'X-Real-IP',
  'True-Client-IP',
  'CF-Ray',
  'cf-connecting-ip',
  'X-Service-Replay',
])('%s is not replayed', name =>
  expect(
    sent([
      [name, 'x'],
      ['X-Kept', '1'],
    ]),
  ).toEqual([['X-Kept', '1']]),
);

test('a header whose name only begins like a dropped one is kept', () => {
  const pairs = [
    ['X-Forwarded', '1'],
    ['cfg', '1'],
    ['Cookie2', '1'],
    ['X-Authorization', '1'],
  ] as const;
  expect(sent(pairs)).toHaveLength(pairs.length);
});

test('headers listed in Connection are dropped with it', () => {
  const pairs = [
    ['Connection', 'close, X-Hop'],
    ['x-hop', '1'],
    ['X-End', '2'],
  ] as const;
  expect(sent(pairs)).toEqual([['X-End', '2']]);
});
