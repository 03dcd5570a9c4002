import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { delivery, jsonDelivery } from '../../testing/deliveries.ts';
import { mustVerifyAtCapture, verify } from '../platforms.ts';
import type { RawDelivery, SigningSecret, Verdict } from './model.ts';

const now = 1_765_000_000_000;
const body = '{"a":1}';
const hex = (key: string, text = body, hash = 'sha256') => createHmac(hash, key).update(text).digest('hex');
const base64 = (key: string, text = body, hash = 'sha256') => createHmac(hash, key).update(text).digest('base64');
const has = (...secrets: [platform: string | null, secret: string][]): SigningSecret[] =>
  secrets.map(([platform, secret]) => ({ platform, secret }));

function judge(
  headers: Record<string, string>,
  platform: string | null,
  secrets: SigningSecret[],
  text = body,
): Verdict | null {
  return verify({
    delivery: delivery({ headers, body: text }),
    platform,
    secrets,
    receivedAt: now,
    urls: ['https://t.example/in/x'],
  });
}

describe('the verdict', () => {
  const signed = { 'X-Shopify-Hmac-Sha256': base64('right') };
  const shopify = { platform: 'shopify', scheme: 'hmac-sha256' };

  test('is valid with any of several secrets, with or without a platform', () => {
    const valid = { ...shopify, verdict: 'valid', reason: null, proves: 'payload' } as const;
    expect(judge(signed, 'shopify', has(['shopify', 'old'], ['shopify', 'right']))).toEqual(valid);
    expect(judge(signed, 'shopify', has([null, 'right']))).toEqual(valid);
    expect(judge(signed, 'shopify', has(['stripe', 'wrong'], [null, 'wrong'], [null, 'right']))).toEqual(valid);
  });

  test('is invalid for a wrong secret, an altered body or a malformed value', () => {
    const invalid = { ...shopify, verdict: 'invalid', proves: null } as const;
    expect(judge(signed, 'shopify', has(['shopify', 'wrong']))).toEqual({
      ...invalid,
      reason: 'wrong_secret_or_altered_body',
    });
    expect(judge(signed, 'shopify', has(['shopify', 'right']), '{"a":2}')).toEqual({
      ...invalid,
      reason: 'wrong_secret_or_altered_body',
    });
    for (const value of ['x', base64('right').slice(4), `${base64('right')}!`, hex('right'), 'null']) {
      const verdict = judge({ 'X-Shopify-Hmac-Sha256': value }, 'shopify', has(['shopify', 'right']));
      expect(verdict).toEqual({ ...invalid, reason: 'malformed_header' });
    }
  });

  test('is unchecked without a usable secret', () => {
    const unchecked = { ...shopify, verdict: 'unchecked', reason: 'no_secret', proves: null } as const;
    expect(judge(signed, 'shopify', [])).toEqual(unchecked);
    expect(judge(signed, 'shopify', has(['stripe', 'right']))).toEqual(unchecked);
    // A text that cannot be a key of the scheme is passed over.
    const adyen = judge({ hmacsignature: base64('right') }, 'adyen', has([null, 'not hex']));
    expect(adyen?.reason).toBe('no_secret');
  });

  test('is null for no signature, an empty one, or a platform that does not sign', () => {
    expect(judge({}, 'shopify', has(['shopify', 'right']))).toBeNull();
    expect(judge({ 'X-Shopify-Hmac-Sha256': '  ' }, 'shopify', has(['shopify', 'right']))).toBeNull();
    expect(
      judge({ 'X-Gitea-Signature': '', 'X-Hub-Signature-256': 'sha256=' }, 'gitea', has(['gitea', 's'])),
    ).toBeNull();
    expect(judge({}, 'zapier', has([null, 's']))).toBeNull();
    expect(judge({}, null, [])).toBeNull();
  });

  test('is valid when any of several signatures or headers matches', () => {
    const list = `t=1765000000,v1=${'0'.repeat(64)},v1=${hex('s', `1765000000.${body}`)},v0=${'1'.repeat(64)}`;
    expect(judge({ 'Stripe-Signature': list }, 'stripe', has(['stripe', 's']))?.verdict).toBe('valid');
    const repeated = { 'X-Mollie-Signature': `sha256=${'0'.repeat(64)}, sha256=${hex('s')}` };
    expect(judge(repeated, 'mollie', has(['mollie', 's']))?.verdict).toBe('valid');
    const keys = { 'X-DocuSign-Signature-1': base64('a'), 'X-DocuSign-Signature-2': base64('b') };
    expect(judge(keys, 'docusign', has(['docusign', 'b']))?.verdict).toBe('valid');
    const box = {
      'Box-Signature-Primary': base64('x', `${body}2025-12-06T05:46:40Z`),
      'Box-Signature-Secondary': base64('y', `${body}2025-12-06T05:46:40Z`),
      'Box-Delivery-Timestamp': '2025-12-06T05:46:40Z',
    };
    expect(judge(box, 'box', has(['box', 'y']))?.verdict).toBe('valid');
  });

  describe('an unconfirmed secret', () => {
    const asana = { 'X-Hook-Signature': hex('planted') };
    const planted = { platform: 'asana', secret: 'planted', unconfirmed: true } as const;
    const other = { platform: 'asana', secret: 'also planted', unconfirmed: true } as const;
    const unconfirmed = { verdict: 'unchecked', reason: 'unconfirmed_secret', proves: null } as const;

    test('makes no verdict valid', () => {
      expect(judge(asana, 'asana', [planted])).toMatchObject(unconfirmed);
      expect(judge(asana, 'asana', [planted, ...has(['asana', 'mine'])])).toMatchObject(unconfirmed);
    });

    test('makes no verdict invalid', () => {
      expect(judge(asana, 'asana', [other])).toMatchObject(unconfirmed);
      expect(judge({ 'X-Hook-Signature': 'garbage' }, 'asana', [other])).toMatchObject(unconfirmed);
      expect(judge({}, 'asana', [other])).toBeNull();
    });

    test('does not change the verdict of a confirmed one', () => {
      expect(judge(asana, 'asana', [other, ...has(['asana', 'planted'])])).toMatchObject({ verdict: 'valid' });
      expect(judge(asana, 'asana', [other, ...has(['asana', 'mine'])])).toMatchObject({
        verdict: 'invalid',
        reason: 'wrong_secret_or_altered_body',
      });
    });

    test('does not decide which platform sent a delivery', () => {
      const sender = { 'X-Webhook-Signature': hex('mine') };
      const secrets = [...has([null, 'mine']), { platform: 'nylas', secret: 'planted', unconfirmed: true } as const];
      expect(judge(sender, null, secrets)).toEqual(judge(sender, null, has([null, 'mine'])));
    });
  });

  describe('a test secret', () => {
    const testSecret = { platform: 'shopify', secret: 'made here', test: true } as const;
    const ours = { 'X-Shopify-Hmac-Sha256': base64('made here'), 'X-Hooktape-Test': '1' };

    test('makes the verdict of what it signed', () => {
      expect(judge(ours, 'shopify', [testSecret])).toMatchObject({ ...shopify, verdict: 'valid' });
      expect(judge(ours, 'shopify', [testSecret, ...has(['shopify', 'right'])])).toMatchObject({ verdict: 'valid' });
    });

    test('makes nothing valid that is not marked as a test event, although it signed it', () => {
      const unmarked = { 'X-Shopify-Hmac-Sha256': base64('made here') };
      expect(judge(unmarked, 'shopify', [testSecret])).toMatchObject({ verdict: 'unchecked', reason: 'no_secret' });
      expect(judge(unmarked, 'shopify', [testSecret, ...has(['shopify', 'right'])])).toMatchObject({
        verdict: 'invalid',
      });
    });

    test('does not change the verdict of anything else', () => {
      for (const secrets of [[], has(['shopify', 'right']), has(['shopify', 'wrong']), has([null, 'wrong'])])
        expect(judge(signed, 'shopify', [testSecret, ...secrets])).toEqual(judge(signed, 'shopify', secrets));
    });
  });

  test('is valid when only the older of two schemes matches', () => {
    const old = { 'X-GitHub-Event': 'push', 'X-Hub-Signature': `sha1=${hex('s', body, 'sha1')}` };
    expect(judge(old, 'github', has(['github', 's']))).toMatchObject({ verdict: 'valid', scheme: 'hmac-sha1' });
    const both = { ...old, 'X-Hub-Signature-256': `sha256=${hex('s')}` };
    expect(judge(both, 'github', has(['github', 's']))).toMatchObject({ verdict: 'valid', scheme: 'hmac-sha256' });
  });
});

describe('a token proves the origin only', () => {
  test('GitLab: the token, or the signing token', () => {
    expect(judge({ 'X-Gitlab-Token': 's' }, 'gitlab', has(['gitlab', 's']))).toMatchObject({
      verdict: 'valid',
      proves: 'origin',
    });
    expect(judge({ 'X-Gitlab-Token': 't' }, 'gitlab', has(['gitlab', 's']))?.reason).toBe(
      'wrong_secret_or_altered_body',
    );
    const key = Buffer.from('0123456789abcdef0123456789abcdef');
    const signature = createHmac('sha256', key).update(`m.1765000000.${body}`).digest('base64');
    const headers = {
      'X-Gitlab-Token': 's',
      'webhook-id': 'm',
      'webhook-timestamp': '1765000000',
      'webhook-signature': `v1,${signature}`,
    };
    const verdict = judge(headers, 'gitlab', has(['gitlab', `whsec_${key.toString('base64')}`]));
    expect(verdict).toMatchObject({ verdict: 'valid', scheme: 'standard-webhooks', proves: 'payload' });
  });

  test('Authorization: the full value, the value after its first word, or user:password', () => {
    const secrets = has(['okta', 'user:pass']);
    for (const value of ['user:pass', 'Bearer user:pass', `Basic ${Buffer.from('user:pass').toString('base64')}`]) {
      expect(judge({ Authorization: value }, 'okta', secrets)?.verdict).toBe('valid');
    }
    expect(judge({ Authorization: 'user:pas' }, 'okta', secrets)?.verdict).toBe('invalid');
  });
});

describe('a signature in a header that is not stored', () => {
  test('must be verified at capture', () => {
    const of = (headers: Record<string, string>): RawDelivery => delivery({ headers });
    expect(mustVerifyAtCapture(of({ Authorization: 'x' }), 'okta')).toBe(true);
    expect(mustVerifyAtCapture(of({ 'CF-Webhook-Auth': 'x' }), 'cloudflare')).toBe(true);
    expect(mustVerifyAtCapture(of({ Authorization: 'HMAC x' }), 'microsoft-teams')).toBe(true);
    expect(mustVerifyAtCapture(of({ Authorization: 'Basic x' }), 'jira')).toBe(false);
    expect(mustVerifyAtCapture(of({}), 'okta')).toBe(false);
    expect(mustVerifyAtCapture(of({ Authorization: 'x', 'X-Shopify-Hmac-Sha256': 'x' }), 'shopify')).toBe(false);
    expect(mustVerifyAtCapture(of({ Authorization: 'x' }), null)).toBe(false);
  });

  test('is unchecked when it is verified later', () => {
    const verdict = judge({ Authorization: '[redacted]' }, 'okta', has(['okta', 's']));
    expect(verdict).toMatchObject({ verdict: 'unchecked', reason: 'unsupported', proves: null });
    const other = {
      Authorization: '[redacted]',
      'X-RevenueCat-Webhook-Signature': `t=1765000000,v1=${hex('s', `1765000000.${body}`)}`,
    };
    expect(judge(other, 'revenuecat', has(['revenuecat', 's']))?.verdict).toBe('valid');
  });
});

describe('deliveries of unknown senders', () => {
  for (const [name, headers] of [
    ['x-hub-signature-256', { 'X-Hub-Signature-256': `sha256=${hex('s')}` }],
    ['x-hub-signature with SHA-512', { 'X-Hub-Signature': `sha512=${hex('s', body, 'sha512')}` }],
    ['x-signature in hex', { 'X-Signature': hex('s') }],
    ['x-signature in base64', { 'X-Signature': base64('s') }],
    ['x-webhook-signature with a prefix', { 'X-Webhook-Signature': `sha256=${hex('s')}` }],
    ['webhook-signature, bare', { 'Webhook-Signature': hex('s') }],
    [
      'webhook-signature',
      {
        'webhook-id': 'm',
        'webhook-timestamp': '1765000000',
        'webhook-signature': `v1,${base64('s', `m.1765000000.${body}`)}`,
      },
    ],
  ] as const) {
    test(`${name}: verified with a secret for any platform`, () => {
      const verdict = judge(headers, null, has([null, 'x'], [null, 's']));
      expect(verdict).toMatchObject({ platform: null, verdict: 'valid', proves: 'payload' });
      expect(judge(headers, null, [])?.reason).toBe('no_secret');
      expect(judge(headers, null, has(['stripe', 's']))?.reason).toBe('no_secret');
    });
  }

  test('a mismatch in a header that any sender may use is not invalid', () => {
    expect(judge({ 'X-Signature': hex('other') }, null, has([null, 's']))).toMatchObject({
      verdict: 'unchecked',
      reason: 'unsupported',
    });
    expect(judge({ 'X-Hub-Signature-256': `sha256=${hex('other')}` }, null, has([null, 's']))?.verdict).toBe('invalid');
  });

  test('a secret registered later for the platform behind a generic header is used', () => {
    const what = jsonDelivery({ a: 1 }, { 'X-Signature': hex('s') });
    const verdict = verify({
      delivery: what,
      platform: null,
      secrets: has(['clickup', 's']),
      receivedAt: now,
      urls: [],
    });
    expect(verdict).toMatchObject({ platform: 'clickup', verdict: 'valid' });
  });
});
