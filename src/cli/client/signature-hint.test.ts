import { expect, test } from 'bun:test';
import { explainRefusal } from './signature-hint.ts';

const at = Date.UTC(2026, 10, 22, 14, 0, 0);
const stripe = { platform: 'stripe', headers: [['Stripe-Signature', `t=${at / 1000},v1=00`]] } as const;
const gitlab = {
  platform: 'gitlab',
  headers: [
    ['X-Gitlab-Event', 'Push Hook'],
    ['X-Gitlab-Token', 'secret'],
  ],
} as const;
const discord = {
  platform: 'discord',
  headers: [
    ['X-Signature-Ed25519', '00'.repeat(64)],
    ['X-Signature-Timestamp', String(at / 1000)],
  ],
} as const;
const unsigned = { platform: 'stripe', headers: [['Content-Type', 'application/json']] } as const;
const minute = 60_000;
const fits = 'the signature no longer fits: ';

test.each([
  [stripe, { status: 400, isBodyEdited: true, ageMs: 0 }, `${fits}try --resign --secret-env N`],
  [stripe, { status: 400, isBodyEdited: true, ageMs: 60 * minute }, `${fits}try --resign --secret-env N`],
  [stripe, { status: 500, isBodyEdited: true, ageMs: 0 }, undefined],
  [stripe, { status: 400, isBodyEdited: false, ageMs: 4 * minute }, undefined],
  [
    stripe,
    { status: 500, isBodyEdited: false, ageMs: 60 * minute },
    'signed 1 h ago, Stripe allows 5 min: try --resign',
  ],
  // A token covers nothing of the request.
  [gitlab, { status: 401, isBodyEdited: true, ageMs: 0 }, undefined],
  [discord, { status: 401, isBodyEdited: true, ageMs: 0 }, `${fits}only the sender can sign an edited event`],
  [unsigned, { status: 400, isBodyEdited: true, ageMs: 60 * minute }, undefined],
])('%j, %j', async (signed, { ageMs, ...refusal }, hint) => {
  const event = { ...signed, method: 'POST', path: '', query: null, body: Buffer.from('{"a":1}'), receivedAt: at };
  expect(await explainRefusal(event, { ...refusal, now: at + ageMs })).toBe(hint);
});
