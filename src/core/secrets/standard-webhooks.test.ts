import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, webhookHeaders } from './standard-webhooks.ts';

test('the library of Standard Webhooks verifies each signature, and no other secret', () => {
  const [first, second, other] = [1, 2, 3].map(() => newWebhookSecret(randomBytes));
  const body = '{"a":"é"}';
  const headers = Object.fromEntries(
    webhookHeaders([first ?? '', second ?? ''], { id: 'evt_1', at: Date.now(), body: Buffer.from(body) }),
  );
  for (const secret of [first, second]) expect(new Webhook(secret ?? '').verify(body, headers)).toEqual({ a: 'é' });
  expect(() => new Webhook(other ?? '').verify(body, headers)).toThrow();
  expect(() => new Webhook(first ?? '').verify(`${body} `, headers)).toThrow();
});
