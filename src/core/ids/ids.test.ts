import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventId, newApiKey, newId, newIngestToken, newToken, nonceBytes, parseEventId } from './ids.ts';

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const nonce = new Uint8Array(nonceBytes).fill(7);

describe('ids', () => {
  test('are prefixed, sort by time, and differ in the same moment', () => {
    const ids = [0, 1, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48].map(at => newId('ep', at, random));
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^ep_[0-9a-hjkmnp-tv-z]{30}$/);
    expect(newId('key', 5, random)).not.toBe(newId('key', 5, random));
  });

  test('do not mind a clock before 1970', () => {
    expect(newId('acc', -5, () => nonce)).toBe(newId('acc', 0, () => nonce));
  });
});

describe('secrets', () => {
  test.each([
    ['ingest token', newIngestToken, /^[0-9a-hjkmnp-tv-z]{32}$/, 20],
    ['API key', newApiKey, /^htk_[0-9a-hjkmnp-tv-z]{52}$/, 32],
    ['token', newToken, /^[0-9a-hjkmnp-tv-z]{52}$/, 32],
  ])('%s: form and randomness', (_name, make, form, bytes) => {
    const asked: number[] = [];
    const made = make(length => {
      asked.push(length);
      return random(length);
    });
    expect(made).toMatch(form);
    expect(asked).toEqual([bytes]);
  });
});

describe('event ids', () => {
  test('carry row number and nonce', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array({ minLength: nonceBytes, maxLength: nonceBytes }), (seq, bytes) => {
        expect(parseEventId(eventId(seq, bytes))).toEqual({ seq, nonce: bytes });
      }),
    );
  });

  const good = eventId(42, nonce);
  test.each([
    '',
    'evt_',
    good.slice(0, -1),
    `${good}0`,
    good.toUpperCase(),
    good.replace('evt_', 'ep__'),
    good.replace('evt_', 'evt-'),
    `evt_z${good.slice(5)}`,
    `${good.slice(0, -1)}u`,
    `${good.slice(0, -1)}\u0000`,
    `${good.slice(0, -1)}1`,
  ])('%j is none', id => {
    expect(parseEventId(id)).toBeUndefined();
  });
});
