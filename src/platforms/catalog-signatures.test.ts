import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { delivery } from '../testing/deliveries.ts';
import type { Platform } from './engine/platform.ts';
import type { KeyFormat, SignatureScheme } from './engine/signature-scheme.ts';
import { verifyHmac } from './engine/verifiers/hmac.ts';
import { verifyToken } from './engine/verifiers/token.ts';
import { detect, platforms, verify } from './platforms.ts';

const now = 1_765_000_000_000;
const url = 'https://tape.example/in/t';
const key = Buffer.from('0123456789abcdef0123456789abcdef');
const body = '{"webhookTimestamp":1765000000000,"a":"b"}';

const secretOf: Partial<Record<KeyFormat, { secret: string; key: Buffer }>> = {
  text: { secret: 'text', key: Buffer.from('text') },
  nfkd: { secret: 'text', key: Buffer.from('text') },
  hex: { secret: key.toString('hex'), key },
  base64: { secret: key.toString('base64'), key },
  whsec: { secret: `whsec_${key.toString('base64')}`, key },
  'whsec-or-text': { secret: 'any text', key: Buffer.from('any text') },
  'after-colon': { secret: 'app.key:text', key: Buffer.from('text') },
};

const times = {
  s: '1765000000',
  ms: '1765000000000',
  auto: '1765000000',
  rfc3339: '2025-12-06T05:46:40.123456789Z',
  'http-date': 'Sat, 06 Dec 2025 05:46:40 GMT',
};

/** Signs as the row describes, without any code of the verifiers. */
function signed(row: Platform, scheme: SignatureScheme): { headers: Record<string, string>; secret: string } {
  const { secret, key: bytes } = secretOf[scheme.keyFormat] ?? { secret: '', key };
  const rule = row.detect.find(one => one.anyHeader !== undefined || one.allHeaders !== undefined);
  const headers: Record<string, string> = {};
  for (const name of [...(rule?.allHeaders ?? []), ...(rule?.anyHeader?.slice(0, 1) ?? [])]) headers[name] = 'x';
  const time = times[scheme.timestamp?.unit ?? 's'];
  if (scheme.label === 'standard-webhooks') {
    const family = scheme.header?.replace('-signature', '');
    const digest = createHmac('sha256', bytes).update(`m.${time}.${body}`).digest('base64');
    return {
      secret,
      headers: {
        ...headers,
        [`${family}-id`]: 'm',
        [`${family}-timestamp`]: time,
        [`${family}-signature`]: `v1,${digest}`,
      },
    };
  }
  if (scheme.label === 'token') return { secret, headers: { ...headers, [scheme.header ?? '']: secret } };
  const message = (scheme.message ?? '').replace(/\{([\w-]+)\}/g, (_, name: string) => {
    if (name === 'body') return body;
    if (name === 'url') return url;
    if (name.includes('-')) headers[name] = time;
    return time;
  });
  const encoding = scheme.encoding === 'hex-or-base64' ? 'base64' : (scheme.encoding ?? 'hex');
  const digest = createHmac(scheme.hash ?? 'sha256', bytes)
    .update(message)
    .digest(encoding);
  const { list } = scheme;
  const stamp = list?.timestamp === undefined ? '' : `${list.timestamp}=${time}${list.separator} `;
  headers[scheme.header ?? ''] =
    list === undefined ? `${scheme.prefix ?? ''}${digest}` : `${stamp}${list.signature}=${digest}`;
  return { secret, headers };
}

const generic: readonly unknown[] = [verifyHmac, verifyToken];

const plain = platforms.flatMap(row =>
  row.signatures
    .filter(
      ({ label, verify: verifier, keyFormat }) =>
        (label === 'standard-webhooks' || generic.includes(verifier)) && secretOf[keyFormat] !== undefined,
    )
    .map((scheme, n): [string, Platform, SignatureScheme] => [`${row.name}, ${scheme.label} ${n + 1}`, row, scheme]),
);

describe('the schemes of a row', () => {
  for (const [name, row, scheme] of plain) {
    test(`${name}: a matching signature is valid, an altered body or another secret is not`, () => {
      const { headers, secret } = signed(row, scheme);
      const judge = (text: string, value: string) =>
        verify({
          delivery: delivery({ headers, body: text }),
          platform: row.name,
          secrets: [{ platform: row.name, secret: value }],
          receivedAt: now,
          urls: [url],
        });
      expect(detect(delivery({ headers, body }), [row.name]).platform).toBe(row.name);
      expect(judge(body, secret)).toMatchObject({ platform: row.name, verdict: 'valid', proves: scheme.proves });
      const wrong = Buffer.from(key).fill('z');
      const other = { hex: wrong.toString('hex'), base64: wrong.toString('base64'), 'after-colon': 'app.key:z' }[
        scheme.keyFormat as 'hex'
      ];
      expect(judge(body, other ?? 'whsec_enp6enp6eno=')?.verdict).toBe('invalid');
      if (scheme.label !== 'token') expect(judge(body.replace('"b"', '"c"'), secret)?.verdict).toBe('invalid');
    });
  }
});
