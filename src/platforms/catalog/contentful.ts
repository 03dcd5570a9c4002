import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import { type Outcome, type SignatureCheck, utf8 } from '../engine/verifiers/check.ts';
import { parseUrl, verifyHmacOverUrl } from '../engine/verifiers/url.ts';

export const contentful: Platform = {
  name: 'contentful',
  title: 'Contentful',
  docsUrl: 'https://www.contentful.com/developers/docs/',
  detect: [{ anyHeader: ['x-contentful-topic', 'x-contentful-webhook-name', 'x-contentful-signature'], order: 20 }],
  eventType: ['header:x-contentful-topic'],
  deliveryId: [
    {
      header: 'X-Contentful-Idempotency-Key',
      source: 'https://www.contentful.com/developers/changelog/idempotency-key-headers-for-webhook-requests/',
    },
  ],
  preview: [['fields.title.en-US', 'fields.name.en-US'], 'sys.contentType.sys.id', 'sys.id', 'sys.environment.sys.id'],
  signatures: [
    customScheme('contentful', verifyCanonicalRequest, {
      header: 'x-contentful-signature',
      timestamp: { from: 'header:x-contentful-timestamp', unit: 'ms', toleranceSeconds: 30 },
    }),
  ],
  secretHint: 'Settings > Webhooks > Settings > Signing secret (64 characters)',
};

/** HMAC over method, path, the headers that `X-Contentful-Signed-Headers` names, and body. */
function verifyCanonicalRequest(check: SignatureCheck): Outcome {
  const { reader } = check;
  const names = (reader.header('x-contentful-signed-headers') ?? '')
    .split(',', 100)
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '');
  const lines = names.sort().map(name => [name, reader.header(name)]);
  if (names.length === 0 || lines.some(([, value]) => value === undefined)) return 'malformed';
  // Header bytes arrive as latin1 text, the rest of the request is UTF-8.
  const headers = Buffer.from(lines.map(([name, value]) => `${name}:${value?.trim()}`).join(';'), 'latin1');
  const paths = check.urls.flatMap(pathSpellings);
  return verifyHmacOverUrl(check, { encoding: 'hex', hash: 'sha256', urls: paths }, path => [
    utf8(`${reader.delivery.method}\n${path}\n`),
    headers,
    '\n',
    reader.delivery.body,
  ]);
}

function pathSpellings(url: string): string[] {
  if (parseUrl(url) === null) return [];
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const raw = start < 0 ? '/' : url.slice(start);
  const mark = raw.indexOf('?');
  const path = mark < 0 ? raw : raw.slice(0, mark);
  // A lone surrogate would make the encoders throw.
  if (mark < 0) return [encodeURI(path.toWellFormed()), path];
  const query = encodeURIComponent(raw.slice(mark + 1).toWellFormed());
  return [encodeURI(`${path}?${query}`.toWellFormed()), raw];
}
