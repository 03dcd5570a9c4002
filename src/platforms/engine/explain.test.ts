import { describe, expect, test } from 'bun:test';
import { delivery } from '../../testing/deliveries.ts';
import { signedDeliveries } from '../../testing/signed-deliveries.ts';
import { mac, now, seconds, url } from '../../testing/verdicts.ts';
import { explain, parseSecret } from '../platforms.ts';
import type { Explanation } from './explain.ts';
import type { RawDelivery } from './model.ts';

const secret = 'whsec_correct_horse';
const body = '{"id":"evt_1","type":"charge.succeeded"}';
const stripe = (signed = body, at = seconds): RawDelivery =>
  delivery({
    headers: { 'Stripe-Signature': `t=${at},v1=${mac('sha256', secret, `${at}.${signed}`).digest('hex')}` },
    body,
  });
const explained = (
  what: RawDelivery,
  platform: string | null,
  given: { secret?: string; scheme?: string; urls?: string[]; receivedAt?: number } = {},
): Explanation =>
  explain({
    delivery: what,
    platform,
    scheme: given.scheme,
    secret: given.secret ?? null,
    shown: null,
    receivedAt: given.receivedAt ?? now,
    urls: given.urls ?? [url],
  });
const texts = ({ signed }: Explanation): [string, string | null, string][] =>
  (signed?.parts ?? []).map(({ from, name, start, end }) => [
    from,
    name,
    signed?.bytes.subarray(start, end).toString('utf8') ?? '',
  ]);

describe('what a signature covers', () => {
  test('Stripe: the timestamp of the header, a point, the body', () => {
    const found = explained(stripe(), 'stripe', { secret });
    expect(found.verdict?.verdict).toBe('valid');
    expect(texts(found)).toEqual([
      ['header', 'stripe-signature', seconds],
      ['other', null, '.'],
      ['body', null, body],
    ]);
    expect(found.received).toEqual([mac('sha256', secret, `${seconds}.${body}`).digest('hex')]);
    expect(found.expected).toEqual(found.received);
    expect(found.timestamp).toEqual({ at: now, from: 'header:stripe-signature t' });
    expect(found.toleranceSeconds).toBe(300);
  });

  test('without a secret the same is said, and nothing is expected', () => {
    const [without, withSecret] = [explained(stripe(), 'stripe'), explained(stripe(), 'stripe', { secret })];
    expect(without).toEqual({ ...withSecret, verdict: null, expected: null, causes: [] });
  });

  test('the URL, where the scheme covers it, in the encoding of the header', () => {
    const trello = delivery({
      headers: { 'X-Trello-Webhook': mac('sha1', 's3cret', `{}${url}`).digest('base64') },
      body: '{}',
    });
    const found = explained(trello, 'trello', { secret: 's3cret' });
    expect(texts(found).map(([from]) => from)).toEqual(['body', 'url']);
    expect(found.encoding).toBe('base64');
    expect(found.expected).toEqual([mac('sha1', 's3cret', `{}${url}`).digest('base64')]);
  });

  test('a secret that is itself signed is not repeated', () => {
    const hubspot = delivery({ headers: { 'X-HubSpot-Signature': 'ab'.repeat(32) }, body });
    const found = explained(hubspot, 'hubspot', { secret: 'the-client-secret' });
    expect(texts(found).slice(0, 2)).toEqual([
      ['secret', null, '[secret]'],
      ['body', null, body],
    ]);
    expect(JSON.stringify({ ...found, signed: found.signed?.bytes.toString() })).not.toContain('the-client-secret');
  });

  test('a fixed value signs nothing, and the secret is not shown beside it', () => {
    const gitlab = delivery({ headers: { 'X-Gitlab-Token': 'presented', 'X-Gitlab-Event': 'Push Hook' }, body: '{}' });
    const found = explained(gitlab, 'gitlab', { secret: 'registered' });
    expect(found).toMatchObject({ signed: null, received: ['presented'], expected: null, encoding: 'utf8' });
    expect(found.verdict?.verdict).toBe('invalid');
  });

  test('a short header value is no part of a longer number', () => {
    const what = delivery({
      headers: {
        'Stripe-Signature': `t=${seconds},v1=${'0'.repeat(64)}`,
        'Content-Length': seconds.slice(0, 4),
      },
      body,
    });
    expect(texts(explained(what, 'stripe')).map(([from]) => from)).toEqual(['header', 'other', 'body']);
  });

  test('nothing when there is no signature, or none of that scheme', () => {
    expect(explained(delivery({ body }), 'stripe', { secret })).toMatchObject({
      verdict: null,
      schemes: [],
      signed: null,
    });
    expect(explained(stripe(), 'stripe', { secret, scheme: 'token' })).toMatchObject({
      verdict: null,
      schemes: ['hmac-sha256'],
    });
  });
});

test('the signatures of the platforms’ own libraries: valid, explained, and no secret is repeated', async () => {
  // Some of the libraries have a clock of their own.
  const receivedAt = Date.now();
  for (const { platform, secret, method, url: sentTo, headers, body } of await signedDeliveries(url, receivedAt)) {
    const { search } = new URL(sentTo);
    const what = delivery({ method, query: search === '' ? null : search.slice(1), headers, body });
    const parsed = parseSecret(platform, secret);
    if ('error' in parsed) throw new Error(parsed.error);
    const found = explained(what, platform, { secret: parsed.secret, urls: [sentTo], receivedAt });
    expect([platform, found.verdict?.verdict, found.causes]).toEqual([platform, 'valid', []]);
    expect(found.received.length).toBeGreaterThan(0);
    if (found.expected !== null) expect(found.received).toContain(found.expected[0] ?? '');
    if (found.scheme !== 'token')
      expect(JSON.stringify({ ...found, signed: found.signed?.bytes.toString('latin1') })).not.toContain(parsed.secret);
    expect(explained(what, platform, { urls: [sentTo] }).expected).toBeNull();
  }
});

describe('causes', () => {
  const causesOf = (what: RawDelivery, platform: string, given: { secret: string; urls?: string[] }) =>
    explained(what, platform, given).causes;

  test.each([
    ['body_line_end', `${body}\n`],
    ['body_json_rewritten', JSON.stringify(JSON.parse(body), null, 2)],
    ['body_json_rewritten', '{"id": "evt_1", "type": "charge.succeeded"}'],
  ] as const)('%s is proven by the signature of the body before the change', (cause, signed) =>
    expect(causesOf(stripe(signed), 'stripe', { secret })).toEqual([{ cause, proven: true }]),
  );

  test('other line breaks', () => {
    const crlf = delivery({
      headers: { 'X-Hub-Signature-256': `sha256=${mac('sha256', secret, 'a\r\nb').digest('hex')}` },
      body: 'a\nb',
    });
    expect(causesOf(crlf, 'github', { secret })).toEqual([{ cause: 'body_line_breaks', proven: true }]);
  });

  test('another URL, such as that of the proxy', () => {
    const behindProxy = delivery({
      headers: {
        'X-Trello-Webhook': mac('sha1', secret, '{}https://public.example/in/t').digest('base64'),
        'X-Forwarded-Host': 'public.example',
      },
      body: '{}',
    });
    expect(causesOf(behindProxy, 'trello', { secret, urls: ['http://internal:4665/in/t'] })).toEqual([
      { cause: 'other_url', proven: true },
    ]);
  });

  test('hostile bodies are not tried for long', () => {
    const signedWith = (text: string, signed = text) =>
      delivery({
        headers: { 'X-Hub-Signature-256': `sha256=${mac('sha256', secret, signed).digest('hex')}` },
        body: text,
      });
    // A regular expression for the last line breaks takes minutes for this.
    expect(causesOf(signedWith(`${'\n'.repeat(250_000)}x`, 'y'), 'github', { secret })).not.toContainEqual(
      expect.objectContaining({ proven: true }),
    );
    const lists = (depth: number): [string, string] => ['['.repeat(depth), ']'.repeat(depth)];
    const causeAt = (depth: number) =>
      causesOf(signedWith(lists(depth).join(' '), lists(depth).join('')), 'github', { secret });
    expect(causeAt(40)).toEqual([{ cause: 'body_json_rewritten', proven: true }]);
    // Indented, it would be gigabytes.
    expect(causeAt(20_000)).not.toContainEqual(expect.objectContaining({ proven: true }));
  });

  test('what cannot be proven is only likely', () => {
    expect(causesOf(stripe(), 'stripe', { secret: 'whsec_of_another' })).toEqual([
      { cause: 'other_secret', proven: false },
      { cause: 'other_mode', proven: false },
      { cause: 'body_changed', proven: false },
    ]);
    expect(causesOf(stripe(body, String(Number(seconds) - 10_920)), 'stripe', { secret })).toEqual([
      { cause: 'late_delivery', proven: false },
      { cause: 'server_clock', proven: false },
    ]);
    expect(causesOf(stripe(), 'stripe', { secret })).toEqual([]);
  });
});
