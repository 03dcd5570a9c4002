import { expect, test } from 'bun:test';
import { delivery } from '../../testing/deliveries.ts';
import { mac, seconds } from '../../testing/verdicts.ts';
import { examine } from '../platforms.ts';

/** The values that the steps return, and how many steps there were. */
function drive<T>(steps: Generator<void, T>): { value: T; count: number } {
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done) return { value, count };
  }
}

test('each change is undone in a step of its own', () => {
  const secret = 'whsec_correct_horse';
  const signature = mac('sha256', secret, `${seconds}.{\n    "id": 1\n}`).digest('hex');
  const headers = { 'Stripe-Signature': `t=${seconds},v1=${signature}` };
  const { value } = drive(
    examine({
      delivery: delivery({ headers, body: '{"id":1}' }),
      platform: 'stripe',
      ...{ scheme: undefined, secret: null, shown: null, receivedAt: Number(seconds) * 1000, urls: [] },
    }),
  );
  const { trials } = value;
  if (!trials) throw new Error('no signature was found');
  const first = drive(trials.undo(secret));
  expect(first.value).toBe('body_json_rewritten');
  expect(first.count).toBeGreaterThan(20);
  // The bodies are made once.
  const second = drive(trials.undo('whsec_of_another_webhook'));
  expect(second.value).toBeUndefined();
  expect(second.count).toBeLessThan(first.count);
  expect(drive(trials.causes()).value).toEqual([
    'secret_prefix',
    'body_line_end',
    'body_line_breaks',
    'body_json_rewritten',
  ]);
});
