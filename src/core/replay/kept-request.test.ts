import { describe, expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import type { HeaderPair } from '../headers.ts';
import { bodyOfRequest, keepRequest as keep, readKeptRequest } from './kept-request.ts';

const event = {
  headers: [
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
    ['a', '1'],
  ] as HeaderPair[],
  body: Buffer.from('{"token":"t","signature":"old","at":1}'),
};
const yieldIfDue = () => undefined;
type Arguments = Parameters<typeof keep>;
const keepRequest = (of: Arguments[0], request: Arguments[1], how?: Partial<Arguments[2]>) =>
  keep(of, request, { yieldIfDue, ...how });
const sent = (over: Partial<Parameters<typeof keep>[1]> = {}) => ({
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
  ])('$headers are read as they were sent', async ({ headers }) => {
    const kept = await keepRequest(event, sent({ headers }));
    expect(readKeptRequest(kept, { ...event, method: 'POST', bodyHash }).headers).toEqual(
      headers as [string, string][],
    );
  });

  test('that were captured take no space', async () => {
    expect((await keepRequest(event, sent())).toString()).toBe('{"headers":[[0,4]]}');
  });

  test('of a forward are redacted', async () => {
    const headers = [...event.headers, ['X-Token', 'of the forward'] as HeaderPair];
    const kept = await keepRequest(event, sent({ headers }), { ownHeaders: ['x-token'] });
    expect(readKeptRequest(kept, { ...event, method: 'POST', bodyHash }).headers.at(-1)).toEqual([
      'X-Token',
      '[redacted]',
    ]);
    expect(kept.toString()).not.toContain('of the forward');
  });
});

describe('a signature in the body', () => {
  const body = Buffer.from('{"token":"t","signature":"abcdef","at":22}');

  test('is kept with the edit before it', async () => {
    const edit = { set: { token: 'edited' } };
    const unsignedBody = Buffer.from('{"token":"edited","signature":"old","at":1}');
    const signed = Buffer.from('{"token":"edited","signature":"abcdef","at":22}');
    const kept = await keepRequest(event, sent({ body: signed, unsignedBody }), { edit });
    expect(Buffer.from(await bodyOfRequest(kept, event.body, yieldIfDue)).toString()).toBe(signed.toString());
    expect(readKeptRequest(kept, { ...event, method: 'POST', bodyHash }).edit).toEqual(edit);
  });

  test.each([0, 1, 255, 256, 65_536, 70_000, 200_000])('is kept with %i bytes on either side', async length => {
    const around = (text: string) => Buffer.from('é'.repeat(length) + text + 'a'.repeat(length));
    for (const [before, after] of [
      ['old', 'newer'],
      ['aaa', 'a'],
      ['a', 'aaa'],
      ['', 'abc'],
      ['abc', ''],
    ] as const) {
      const of = { ...event, body: around(before) };
      const kept = await keepRequest(of, sent({ body: around(after), unsignedBody: of.body }));
      expect(kept.length).toBeLessThan(300);
      expect(around(after).equals(await bodyOfRequest(kept, of.body, yieldIfDue))).toBe(true);
    }
  });

  test('is found, and its body hashed, with pauses', async () => {
    let calls = 0;
    const counted = () => void calls++;
    const [one, other] = ['a', 'b'].map(letter => Buffer.from(letter.repeat(8 << 20)));
    const of = { ...event, body: one as Buffer };
    const kept = await keepRequest(of, sent({ body: other as Buffer }), { yieldIfDue: counted });
    expect(calls).toBeGreaterThan(10);
    calls = 0;
    expect(await thrownBy(bodyOfRequest(kept, of.body, counted))).toThrow('not kept');
    expect(calls).toBeGreaterThan(10);
  });

  test('of which the captured body has a part is not kept', async () => {
    const hidden = [{ text: 'abcdef', shownAs: '[redacted]' }];
    const signed = Buffer.from('{"token":"t","signature":"abcdef","at":1}');
    const captured = { ...event, body: Buffer.from('{"token":"t","signature":"abXdef","at":1}') };
    const kept = await keepRequest(captured, sent({ body: signed, unsignedBody: captured.body, hidden }));
    expect(await thrownBy(bodyOfRequest(kept, captured.body, yieldIfDue))).toThrow('not kept');
  });

  test.each([
    ['by a stored secret', { mayKeepBody: false }],
    ['that is the secret', { hidden: [{ text: 'abcdef', shownAs: '[redacted]' }] }],
  ])('%s is not kept', async (_, over) => {
    const kept = await keepRequest(event, sent({ body, ...over }));
    expect(kept.toString()).not.toContain('abcdef');
    expect(await thrownBy(bodyOfRequest(kept, event.body, yieldIfDue))).toThrow('not kept');
  });
});

test('a body that was not changed needs no hash', async () => {
  const kept = await keepRequest(event, sent(), { edit: { headers: [['x', '1']] } });
  expect(await bodyOfRequest(kept, event.body, yieldIfDue)).toBe(event.body);
  expect(readKeptRequest(kept, { ...event, method: 'POST', bodyHash })).toMatchObject({ sha256: bodyHash });
});
