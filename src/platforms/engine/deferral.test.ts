/*
 * Which deliveries are recognised after they were answered. That such a recognition finds the same, and that no handshake is missed,
 * is checked for random deliveries in properties.slow.test.ts, and for each handshake in handshake.test.ts.
 */
import { describe, expect, test } from 'bun:test';
import { applyHeaderRules, toFieldLines } from '../../core/headers.ts';
import { delivery, formDelivery, jsonDelivery } from '../../testing/deliveries.ts';
import { mayDefer, platforms } from '../platforms.ts';
import type { RawDelivery } from './model.ts';

const mayDeferDelivery = (given: RawDelivery, registered: readonly string[] = []): boolean =>
  mayDefer({ ...given, fieldLines: Buffer.from(toFieldLines(given.rawHeaders.flat())).toString('latin1') }, registered);

describe('recognition may come later', () => {
  test('for JSON with the headers of common senders, also behind a proxy', () => {
    const github = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': 'sha256=00', 'User-Agent': 'GitHub-Hookshot/1' };
    expect(mayDeferDelivery(jsonDelivery({ action: 'opened' }, github))).toBe(true);
    expect(mayDeferDelivery(jsonDelivery([1], { 'Stripe-Signature': 't=1,v1=00' }), ['stripe'])).toBe(true);
    const proxied = { 'X-Forwarded-For': '10.0.0.1', 'X-Real-IP': '10.0.0.1', 'CF-Ray': '1', Cookie: 'a=b' };
    expect(mayDeferDelivery(jsonDelivery({ a: 1 }, proxied))).toBe(true);
  });

  test.each([
    ['a method other than POST', delivery({ method: 'PUT', body: '{}' })],
    ['a query', delivery({ query: 'a=b', body: '{}' })],
    ['an empty query', delivery({ query: '', body: '{}' })],
    ['no body', delivery()],
    ['a body that is not JSON', delivery({ body: ' {}' })],
    ['a form', formDelivery({ a: 'b' })],
    ['a form that begins like JSON', delivery({ headers: { 'Content-Type': 'multipart/form-data' }, body: '{}' })],
    ['Authorization', jsonDelivery({}, { AUTHORIZATION: 'Bearer x' })],
    ['CF-Webhook-Auth', jsonDelivery({}, { 'cf-webhook-auth': 'x' })],
    ['a header that asks for an answer', jsonDelivery({}, { 'X-Hook-Secret': 'x' })],
    ['a key that asks for an answer', jsonDelivery({ challenge: 'x' })],
    ['a platform whose every delivery is answered', jsonDelivery({ event: { event_hash: 'x', event_type: 'y' } })],
  ])('not for %s', (_what, given) => {
    expect(mayDeferDelivery(given)).toBe(false);
  });

  test('not for an endpoint of a platform whose every delivery is answered', () => {
    expect(mayDeferDelivery(jsonDelivery({ a: 1 }), ['stripe', 'zoom'])).toBe(false);
  });

  test('for large JSON that contains the words of a handshake', () => {
    expect(mayDeferDelivery(jsonDelivery({ challenge: 'x', text: 'y'.repeat(9000) }))).toBe(true);
  });
});

test('a delivery whose platform is detected by a header that is not stored is never deferred', () => {
  for (const { name, detect: rules } of platforms)
    for (const rule of rules)
      for (const header of [
        ...(rule.anyHeader ?? []),
        ...(rule.allHeaders ?? []),
        ...Object.keys(rule.headerValues ?? {}),
      ]) {
        const isStored = applyHeaderRules([[header, 'x']])[0]?.[1] === 'x';
        expect([name, header, isStored || !mayDeferDelivery(jsonDelivery({}, { [header]: 'x' }))]).toEqual([
          name,
          header,
          true,
        ]);
      }
});
