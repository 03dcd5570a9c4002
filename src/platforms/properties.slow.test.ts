import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyHeaderRules, toFieldLines } from '../core/headers.ts';
import { cases } from '../testing/proofs.ts';
import type { RawDelivery, SigningSecret } from './engine/model.ts';
import {
  deliveryIdOf,
  detect,
  handshake,
  highlightsOf,
  mayDefer,
  mustVerifyAtCapture,
  parseSecret,
  platforms,
  verify,
} from './platforms.ts';

const names = platforms.map(row => row.name);
/** Headers, fields and words that the table asks about, so that arbitrary deliveries reach its depths. */
const headerNames = [
  ...new Set(
    platforms.flatMap(row => [
      ...row.detect.flatMap(rule => [...(rule.anyHeader ?? []), ...(rule.allHeaders ?? [])]),
      ...row.signatures.flatMap(scheme => scheme.header ?? []),
    ]),
  ),
  'content-type',
  'user-agent',
  'x-hook-secret',
  'x-contentful-signed-headers',
  'x-hubspot-request-timestamp',
  'webhook-request-origin',
];
const keys = [
  ...new Set(
    platforms.flatMap(row =>
      row.detect.flatMap(rule => Object.keys({ ...rule.json, ...rule.form }).flatMap(path => path.split('.'))),
    ),
  ),
];
const odd = [
  '',
  '=',
  ',',
  ';',
  't=',
  't=1,v1=',
  'v1,',
  'v1a,AA==',
  'sha256=',
  '[redacted]',
  'HMAC ',
  'JWT a.b.c',
  'eyJhIjoxfQ.eyJhIjoxfQ.x',
  '\u0000',
  '-1',
  '9e99',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'Bearer ',
  '|',
  '%',
  '%E0%A4%A',
  '\ud800',
  '__proto__',
  'constructor',
];

const text = fc.oneof(
  fc.constantFrom(...odd),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.base64String({ maxLength: 100 }),
);
const json = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.constant(null), fc.boolean(), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...keys), text), tie('value'), { maxKeys: 5 }),
})).value;
const form = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...keys), text), text), { maxLength: 6 });
const body = fc.oneof(
  json.map(value => Buffer.from(JSON.stringify(value) ?? '')),
  form.map(fields => Buffer.from(new URLSearchParams(fields).toString())),
  fc.uint8Array({ maxLength: 200 }),
  text.map(value => Buffer.from(value)),
);
const delivery: fc.Arbitrary<RawDelivery> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'weird'),
  path: fc.constantFrom('', '/', '/a%zz'),
  query: fc.oneof(
    fc.constant(null),
    fc.constantFrom('hub.challenge=1&hub.mode=subscribe&hub.verify_token=t', 'bodySHA256=zz', 'crc_token=a', '%&=&&'),
    text,
  ),
  rawHeaders: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...headerNames), text), text), { maxLength: 8 }),
  body,
});
const secrets: fc.Arbitrary<SigningSecret[]> = fc.array(
  fc.record({ platform: fc.oneof(fc.constant(null), fc.constantFrom(...names), text), secret: text }),
  { maxLength: 4 },
);

function runAll(what: RawDelivery, known: SigningSecret[], platform: string | null): void {
  const registered = known.map(secret => secret.platform).filter(name => name !== null);
  const detection = detect(what, registered);
  expect(detection.platform === null || names.includes(detection.platform)).toBe(true);
  if (detection.eventType !== null) {
    expect(detection.eventType.length).toBeGreaterThan(0);
    expect(detection.eventType.length).toBeLessThanOrEqual(200);
    expect(/\p{Cc}/u.test(detection.eventType)).toBe(false);
    expect(detection.eventType.trim()).toBe(detection.eventType);
  }
  expect(deliveryIdOf(what, detection.platform)).toEqual(detection.deliveryId);
  if (detection.deliveryId) {
    expect(detection.deliveryId.id.trim()).not.toBe('');
    expect(detection.deliveryId.id.isWellFormed()).toBe(true);
  }
  for (const name of [detection.platform, platform])
    expect(highlightsOf(name, what.body).highlights.length).toBeLessThanOrEqual(4);
  const rest = {
    delivery: what,
    secrets: known,
    receivedAt: 1_765_000_000_000,
    urls: ['https://t.example/in/x', 'not a url', 'https://[bad'],
  };
  for (const name of [detection.platform, platform]) {
    const verdict = verify({ ...rest, platform: name });
    if (verdict !== null) {
      expect(verdict.proves === null).toBe(verdict.verdict !== 'valid');
      expect(verdict.reason === null).toBe(verdict.verdict === 'valid');
    }
    mustVerifyAtCapture(what, name);
  }
  const answer = handshake({ ...rest, detection });
  const fieldLines = Buffer.from(toFieldLines(what.rawHeaders.flat())).toString('latin1');
  if (mayDefer({ ...what, fieldLines }, registered)) {
    expect(answer).toBeNull();
    expect(mustVerifyAtCapture(what, detection.platform)).toBe(false);
    expect(detect({ ...what, rawHeaders: applyHeaderRules(what.rawHeaders) }, registered)).toEqual(detection);
  }
  if (answer !== null) {
    expect(answer.body.length).toBeLessThanOrEqual(8192);
    for (const value of Object.values(answer.headers)) expect(value).toMatch(/^[\x20-\x7e]*$/);
  }
}

describe('random deliveries', () => {
  test('never cause an exception', () => {
    fc.assert(fc.property(delivery, secrets, fc.constantFrom(null, ...names), runAll), { numRuns: cases(2000) });
  });

  test('with the headers and secrets of each platform never cause an exception', () => {
    const row = fc.constantFrom(...platforms);
    fc.assert(
      fc.property(
        row,
        delivery,
        fc.array(text, { minLength: 4, maxLength: 4 }),
        text,
        (platform, what, values, secret) => {
          const rule = platform.detect[0];
          const wanted = [
            ...(rule?.anyHeader ?? []),
            ...(rule?.allHeaders ?? []),
            ...platform.signatures.flatMap(scheme => scheme.header ?? []),
          ];
          const rawHeaders = [...what.rawHeaders, ...wanted.map((name, n) => [name, values[n % 4] ?? ''] as const)];
          runAll(
            { ...what, rawHeaders },
            [
              { platform: platform.name, secret },
              { platform: null, secret },
            ],
            platform.name,
          );
        },
      ),
      { numRuns: cases(2000) },
    );
  });

  test('a pasted secret is parsed or refused with a reason, and parsing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(null, ...names), text, (platform, pasted) => {
        const read = parseSecret(platform, pasted);
        if ('error' in read) expect(read.error.length).toBeGreaterThan(5);
        else expect(parseSecret(platform, read.secret)).toEqual(read);
      }),
      { numRuns: cases(1000) },
    );
  });
});

describe('hostile sizes', () => {
  const megabyte = 1024 * 1024;
  const bodies: Readonly<Record<string, string>> = {
    'deep lists': '['.repeat(100_000) + ']'.repeat(100_000),
    'deep objects': '{"webhook_type":'.repeat(60_000),
    'unclosed lists': '['.repeat(megabyte),
    quotes: '"'.repeat(megabyte),
    backslashes: `{"${'\\'.repeat(megabyte - 2)}`,
    'one long string': `{"type":"${'x'.repeat(megabyte - 20)}"}`,
    'many keys': `{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
    'many fields': 'a=1&'.repeat(megabyte / 4),
    'percent signs': '%41'.repeat(megabyte / 3),
    'tag openings': '<sObject'.repeat(megabyte / 8),
    'half a token': `eyJ${'a'.repeat(megabyte - 3)}`,
    boundaries: '--b\r\n\r\n'.repeat(megabyte / 7),
    weights: '{"weight":          '.repeat(megabyte / 20),
  };
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'text/xml',
  ];
  const values = [
    't='.repeat(8000),
    'v1,'.repeat(5000),
    ','.repeat(16_000),
    'a.'.repeat(8000),
    '<'.repeat(16_000),
    ' '.repeat(16_000),
    `sha256=${'f'.repeat(16_000)}`,
  ];

  for (const [name, body] of Object.entries(bodies)) {
    test(`${name} never cause an exception or a time-out`, () => {
      const bytes = Buffer.from(body);
      for (const type of types) {
        for (const header of [
          'x-twilio-signature',
          'easypost',
          'x-hmac-signature',
          'x-gitea-signature',
          'svix-signature',
          'x-shopify-topic',
        ]) {
          const rawHeaders = [
            ['content-type', type],
            [header, 'abc='],
          ] as const;
          runAll(
            { method: 'POST', path: '', query: null, rawHeaders, body: bytes },
            [{ platform: null, secret: 's' }],
            'mailgun',
          );
        }
      }
    });
  }

  test('long header values never cause an exception', () => {
    const known = names.map(platform => ({ platform, secret: 's' }));
    for (const value of values) {
      for (const platform of platforms) {
        const rawHeaders = platform.signatures.flatMap(scheme =>
          scheme.header === null ? [] : [[scheme.header, value] as const],
        );
        runAll(
          { method: 'POST', path: '', query: value, rawHeaders, body: Buffer.from('{}') },
          known.slice(0, 3),
          platform.name,
        );
      }
    }
  });
});
