import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { HeaderPair } from '../core/headers.ts';
import { delivery as makeDelivery } from '../testing/deliveries.ts';
import {
  anyBody,
  anyTime,
  anyUrl,
  bodiesOf,
  form,
  json,
  secretOf,
  signedHeaders,
  urlencoded,
} from '../testing/signing-requests.ts';
import type { Platform } from './engine/platform.ts';
import type { SignedRequest } from './engine/sign.ts';
import type { SignatureScheme } from './engine/signature-scheme.ts';
import { platforms, sign, verify } from './platforms.ts';

const minutes = 60_000;

const signing = platforms.flatMap(row =>
  row.signatures.flatMap((scheme, n): [string, Platform, SignatureScheme][] =>
    scheme.sign === undefined ? [] : [[`${row.name}, ${scheme.label} ${n + 1}`, row, scheme]],
  ),
);

type Signed = { row: Platform; secret: string; method: string; request: SignedRequest; receivedAt: number };

function judge({ row, secret, method, request, receivedAt }: Signed) {
  const { origin, pathname, search } = new URL(request.url);
  return verify({
    delivery: {
      method,
      path: pathname,
      query: search === '' ? null : search.slice(1),
      rawHeaders: request.headers,
      body: request.body,
    },
    platform: row.name,
    secrets: [{ platform: row.name, secret }],
    receivedAt,
    urls: [origin + pathname + search],
  });
}

function signOrThrow(request: Parameters<typeof sign>[0]): SignedRequest {
  const signed = sign(request);
  if ('cannotSign' in signed) throw new Error(signed.cannotSign);
  return signed;
}

/** An old signature in the scheme's header, so that this scheme is renewed. */
const oldHeaders = (scheme: SignatureScheme): HeaderPair[] => {
  if (scheme.header === null) return [];
  if (scheme.label === 'standard-webhooks')
    return [
      [scheme.header, 'v1,b2xk'],
      [scheme.header.replace('signature', 'id'), 'msg_1'],
    ];
  if (/^jwt/.test(scheme.label)) return [[scheme.header, `${scheme.prefix ?? ''}e30.e30.b2xk`]];
  const { timestamp } = scheme;
  const [, timeHeader] = /^header:(.+)$/.exec(timestamp?.from ?? '') ?? [];
  return [
    [scheme.header, `${scheme.prefix ?? ''}old`],
    ...(timeHeader === undefined ? [] : [[timeHeader, '1'] as const]),
  ];
};

describe('what is signed', () => {
  for (const [name, row, scheme] of signing) {
    test(`${name}: valid, refused when tampered with, refused ten minutes later where there is a window`, () => {
      fc.assert(
        fc.property(
          secretOf[scheme.keyFormat] ?? fc.constant(''),
          bodiesOf[row.name] ?? anyBody,
          anyUrl,
          anyTime,
          fc.boolean(),
          fc.boolean(),
          (secret, [type, body], url, at, newId, wasSigned) => {
            const headers = [type, ...(signedHeaders[row.name] ?? []), ...(wasSigned ? oldHeaders(scheme) : [])];
            const label = wasSigned ? undefined : scheme.label;
            const request = {
              platform: row.name,
              scheme: label,
              secret,
              method: 'POST',
              url,
              headers,
              body: Buffer.from(body),
              at,
              newId,
            };
            const one = { row, secret, method: 'POST', request: signOrThrow(request), receivedAt: at };
            const verdict = judge(one);
            expect([verdict?.verdict, verdict?.reason]).toEqual(['valid', null]);
            expect(judge({ ...one, request: signOrThrow({ ...request, tamper: true }) })?.verdict).toBe('invalid');
            // A token without a body expires.
            const tolerance =
              scheme.label === 'jwt-hs256' && scheme.proves === 'origin' ? 300 : scheme.timestamp?.toleranceSeconds;
            const late = judge({ ...one, receivedAt: at + 10 * minutes + 1000 });
            expect(late?.reason ?? null).toBe(tolerance === undefined ? null : 'timestamp_out_of_tolerance');
          },
        ),
        { numRuns: 12 },
      );
    });
  }

  test('covers every scheme but those with a private key', () => {
    const unsigned = platforms.flatMap(row => row.signatures.filter(({ sign: signer }) => signer === undefined));
    expect(new Set(unsigned.map(({ keyFormat }) => keyFormat))).toEqual(
      new Set(['public-key', 'id-and-certificate', 'ed25519']),
    );
    expect(new Set(signing.map(([, row]) => row.name)).size).toBeGreaterThan(90);
  });
});

describe('a request to sign', () => {
  const at = 1_795_000_000_000;
  const base = {
    platform: 'stripe',
    secret: 'whsec_s',
    method: 'POST',
    url: 'https://h.example/x',
    headers: [json],
    body: Buffer.from('{}'),
    at,
  };

  test.each(['discord', 'sendgrid', 'wix', 'paypal', 'google-pubsub', 'aws-sns'])(
    '%s cannot be signed for',
    platform => {
      const signed = sign({ ...base, platform, secret: 'anything' });
      expect(signed).toMatchObject({ cannotSign: expect.stringMatching(/^cannot_sign: /) });
    },
  );

  test('of a sender that does not sign, or with no known signature, is refused', () => {
    expect(sign({ ...base, platform: 'zapier' })).toEqual({
      cannotSign: 'cannot_sign: Zapier does not sign its deliveries',
      reason: 'Zapier does not sign its deliveries',
    });
    expect(sign({ ...base, platform: null })).toMatchObject({ cannotSign: expect.stringMatching(/^cannot_sign: /) });
  });

  test('of an unknown sender is signed in the form that it came with', () => {
    const old = `sha256=${'0'.repeat(64)}`;
    const signed = signOrThrow({ ...base, platform: null, headers: [json, ['X-Hub-Signature-256', old]] });
    const verdict = verify({
      delivery: makeDelivery({ headers: Object.fromEntries(signed.headers), body: '{}' }),
      platform: null,
      secrets: [{ platform: null, secret: 'whsec_s' }],
      receivedAt: at,
      urls: [],
    });
    expect(verdict?.verdict).toBe('valid');
  });

  test('keeps every other header, its order, case and repeats', () => {
    const headers: HeaderPair[] = [['X-A', '1'], ['sTRIPE-signature', 't=1,v1=00'], ['x-a', '2'], json];
    const signed = signOrThrow({ ...base, headers });
    expect(signed.headers.map(([name]) => name)).toEqual(['X-A', 'sTRIPE-signature', 'x-a', 'Content-Type']);
    expect(signed.headers[1]?.[1]).toMatch(/^t=1795000000,v1=[0-9a-f]{64}$/);
  });

  test('renews all signatures that one secret made', () => {
    const headers: HeaderPair[] = [
      ['X-Hub-Signature', 'sha1=old'],
      ['X-Hub-Signature-256', 'sha256=old'],
    ];
    const { headers: signed } = signOrThrow({ ...base, platform: 'github', headers });
    expect(signed.map(([, value]) => value)).toEqual([
      expect.stringMatching(/^sha1=[0-9a-f]{40}$/),
      expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    ]);
  });

  test('leaves the signature of another secret alone', () => {
    const key = Buffer.alloc(24, 7).toString('base64');
    const headers: HeaderPair[] = [
      ['X-Gitlab-Token', 'a token'],
      ['webhook-id', 'i'],
      ['webhook-signature', 'v1,b2xk'],
    ];
    const withKey = signOrThrow({ ...base, platform: 'gitlab', secret: `whsec_${key}`, headers });
    expect(withKey.headers[0]).toEqual(['X-Gitlab-Token', 'a token']);
    expect(withKey.headers[2]?.[1]).toMatch(/^v1,.{44}$/);
    expect(signOrThrow({ ...base, platform: 'gitlab', secret: 'a token', headers }).headers).toEqual(headers);
  });

  test('of Paddle Classic has a private key', () => {
    const body = Buffer.from(form({ alert_name: 'a', p_signature: 'b2xk' }));
    expect(sign({ ...base, platform: 'paddle', headers: [urlencoded], body })).toMatchObject({
      cannotSign: expect.stringMatching(/private key/),
    });
  });

  test('gets a new id in the form of the old one', () => {
    const idOf = (platform: string, name: string, value: string) =>
      signOrThrow({ ...base, platform, secret: 'whsec_c2VjcmV0', headers: [[name, value]], newId: true }).headers.find(
        ([other]) => other === name,
      )?.[1];
    const uuid = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
    expect(idOf('github', 'X-GitHub-Delivery', uuid)).toMatch(/^[0-9a-f-]{36}$/);
    expect(idOf('github', 'X-GitHub-Delivery', uuid)).not.toBe(uuid);
    expect(idOf('svix', 'svix-id', 'msg_2Lh9KRb0pzN4LePd3XiA4v12Axj')).toMatch(/^msg_[0-9a-z]{27}$/);
    expect(idOf('razorpay', 'X-Razorpay-Event-Id', '12345678')).toMatch(/^\d{8}$/);
  });

  test('has Content-Length and digests of a body that the signature changed', () => {
    const body = '{"webhookTimestamp":1}';
    const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('base64');
    const headers: HeaderPair[] = [
      ['Content-Length', '22'],
      ['Content-Digest', `sha-256=:${hash(body)}:`],
      ['X-Other-Digest', 'mine'],
    ];
    const signed = signOrThrow({ ...base, platform: 'linear', headers, body: Buffer.from(body) });
    const text = `{"webhookTimestamp":${at}}`;
    expect(Buffer.from(signed.body).toString()).toBe(text);
    expect(signed.headers.slice(0, 3)).toEqual([
      ['Content-Length', '34'],
      ['Content-Digest', `sha-256=:${hash(text)}:`],
      ['X-Other-Digest', 'mine'],
    ]);
  });

  test('never has the secret in it, unless the sender sends it', () => {
    for (const [, row, scheme] of signing) {
      if (scheme.label === 'token' || scheme.label === 'client-state') continue;
      const secret =
        {
          hex: 'abcdef0123456789',
          base64: 'c2VjcmV0c2VjcmV0',
          whsec: 'whsec_c2VjcmV0c2VjcmV0',
          'after-colon': 'k:c2VjcmV0',
          pair: 'p|private',
        }[scheme.keyFormat as 'hex'] ?? 'a secret';
      const [[type, body] = [json, '{}']] = fc.sample(
        bodiesOf[row.name] ?? fc.constant([json, '{}'] as [HeaderPair, string]),
        { numRuns: 1, seed: 1 },
      );
      const signed = sign({
        ...base,
        platform: row.name,
        scheme: scheme.label,
        secret,
        headers: [type, ...(signedHeaders[row.name] ?? [])],
        body: Buffer.from(body),
      });
      expect(
        JSON.stringify({ ...signed, body: 'body' in signed ? Buffer.from(signed.body).toString('latin1') : '' }),
      ).not.toContain(secret.slice(2));
    }
  });
});
