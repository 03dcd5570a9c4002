import { describe, expect, test } from 'bun:test';
import type { HeaderPair } from '../headers.ts';
import { bodyOfRequest, keepRequest, readKeptRequest } from './kept-request.ts';

const event = {
  headers: [
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
    ['a', '1'],
  ] as HeaderPair[],
  body: Buffer.from('{"token":"t","signature":"old","at":1}'),
};
const sent = (over: Partial<Parameters<typeof keepRequest>[1]> = {}) => ({
  headers: event.headers,
  body: event.body as Uint8Array,
  unsignedBody: event.body as Uint8Array,
  mayKeepBody: true,
  hidden: [],
  ...over,
});
const bodyHash = 'hash of the event';

describe('headers', () => {
  test.each([
    { headers: event.headers },
    { headers: [] as HeaderPair[] },
    { headers: [['c', '3'], ...event.headers] as HeaderPair[] },
    { headers: [event.headers[0], event.headers[2], ['x', '9'], event.headers[3]] as HeaderPair[] },
  ])('$headers are read as they were sent', ({ headers }) => {
    const kept = keepRequest(event, sent({ headers }));
    expect(readKeptRequest(kept, { ...event, bodyHash }).headers).toEqual(headers as [string, string][]);
  });

  test('that were captured take no space', () => {
    expect(keepRequest(event, sent()).toString()).toBe('{"headers":[[0,4]]}');
  });

  test('of a forward are redacted', () => {
    const headers = [...event.headers, ['X-Token', 'of the forward'] as HeaderPair];
    const kept = keepRequest(event, sent({ headers }), { ownHeaders: ['x-token'] });
    expect(readKeptRequest(kept, { ...event, bodyHash }).headers.at(-1)).toEqual(['X-Token', '[redacted]']);
    expect(kept.toString()).not.toContain('of the forward');
  });
});

describe('a signature in the body', () => {
  const body = Buffer.from('{"token":"t","signature":"abcdef","at":22}');

  test('is kept with the edit before it', () => {
    const edit = { set: { token: 'edited' } };
    const unsignedBody = Buffer.from('{"token":"edited","signature":"old","at":1}');
    const signed = Buffer.from('{"token":"edited","signature":"abcdef","at":22}');
    const kept = keepRequest(event, sent({ body: signed, unsignedBody }), { edit });
    expect(Buffer.from(bodyOfRequest(kept, event)).toString()).toBe(signed.toString());
    expect(readKeptRequest(kept, { ...event, bodyHash }).edit).toEqual(edit);
  });

  test('of which the captured body has a part is not kept', () => {
    const hidden = [{ text: 'abcdef', shownAs: '[redacted]' }];
    const signed = Buffer.from('{"token":"t","signature":"abcdef","at":1}');
    const captured = { ...event, body: Buffer.from('{"token":"t","signature":"abXdef","at":1}') };
    const kept = keepRequest(captured, sent({ body: signed, unsignedBody: captured.body, hidden }));
    expect(() => bodyOfRequest(kept, captured)).toThrow('not kept');
  });

  test.each([
    ['by a stored secret', { mayKeepBody: false }],
    ['that is the secret', { hidden: [{ text: 'abcdef', shownAs: '[redacted]' }] }],
  ])('%s is not kept', (_, over) => {
    const kept = keepRequest(event, sent({ body, ...over }));
    expect(kept.toString()).not.toContain('abcdef');
    expect(() => bodyOfRequest(kept, event)).toThrow('not kept');
  });
});

test('a body that was not changed needs no hash', () => {
  const kept = keepRequest(event, sent(), { edit: { headers: [['x', '1']] } });
  expect(bodyOfRequest(kept, event)).toBe(event.body);
  expect(readKeptRequest(kept, { ...event, bodyHash })).toMatchObject({ sha256: bodyHash });
});
