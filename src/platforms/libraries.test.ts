import { expect, test } from 'bun:test';
import { delivery } from '../testing/deliveries.ts';
import { type SignedDelivery, signedDeliveries } from '../testing/signed-deliveries.ts';
import { detect, parseSecret, verify } from './platforms.ts';

const url = 'https://tape.example/in/token';
// Some of the libraries look at the clock themselves.
const now = Date.now();
const deliveries = await signedDeliveries(url, now);

function verdictOf(sent: SignedDelivery, body: Uint8Array) {
  const mark = sent.url.indexOf('?');
  const query = mark < 0 ? null : sent.url.slice(mark + 1);
  const what = delivery({ method: sent.method, query, headers: sent.headers, body });
  const { platform } = detect(what, []);
  expect(platform).toBe(sent.platform);
  const read = parseSecret(platform, ` ${sent.secret}\n`);
  if ('error' in read) throw new Error(read.error);
  return verify({
    delivery: what,
    platform,
    secrets: [{ platform, secret: read.secret }],
    receivedAt: now,
    urls: [sent.url],
  });
}

test('at least fifteen platforms are tested with the library of their vendor', () => {
  expect(new Set(deliveries.map(sent => sent.platform)).size).toBeGreaterThanOrEqual(15);
});

for (const sent of deliveries) {
  test(`a delivery signed by the library of ${sent.platform} is valid, and invalid with one byte changed`, () => {
    const body = Buffer.from(sent.body);
    expect(verdictOf(sent, body)?.verdict).toBe('valid');
    // Near the end, inside the last value: the delivery is still recognised.
    const at =
      sent.platform === 'braintree' ? body.length - 8 : body.findLastIndex(byte => byte >= 0x30 && byte <= 0x39);
    body[at < 0 ? body.length - 5 : at] = (body[at < 0 ? body.length - 5 : at] ?? 0) ^ 1;
    expect(verdictOf(sent, body)?.verdict).toBe('invalid');
  });
}
