import { createDeliveryReader, type DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { withHeader } from '../engine/signers/task.ts';
import { hmacOf, utf8 } from '../engine/verifiers/check.ts';
import { parseUrl, verifyHmacOverUrl } from '../engine/verifiers/url.ts';

export const contentful: Platform = {
  name: 'contentful',
  title: 'Contentful',
  docsUrl: 'https://www.contentful.com/developers/docs/',
  setup: {
    where: 'Settings > Webhooks > Add webhook > URL',
    url: 'https://www.contentful.com/developers/docs/extensibility/webhooks/configure-webhook/',
  },
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
      sign: signCanonicalRequest,
      timestamp: { from: 'header:x-contentful-timestamp', unit: 'ms', toleranceSeconds: 30 },
    }),
  ],
  secretHint: 'Settings > Webhooks > Settings > Signing secret (64 characters)',
};

/** HMAC over method, path, the headers that `X-Contentful-Signed-Headers` names, and body. */
function verifyCanonicalRequest(check: SignatureCheck): Outcome {
  const { reader } = check;
  const names = signedNames(reader);
  if (names.length === 0 || names.some(name => reader.header(name) === undefined)) return 'malformed';
  const paths = check.urls.flatMap(pathSpellings);
  return verifyHmacOverUrl(check, { encoding: 'hex', hash: 'sha256', urls: paths }, path =>
    canonicalRequest(reader, path, names),
  );
}

const namesHeader = 'x-contentful-signed-headers';

const signedNames = (reader: DeliveryReader): string[] =>
  (reader.header(namesHeader) ?? '')
    .split(',', 100)
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '')
    .sort();

function canonicalRequest({ delivery, header }: DeliveryReader, path: string, names: readonly string[]) {
  // Header bytes arrive as latin1 text, the rest of the request is UTF-8.
  const headers = Buffer.from(names.map(name => `${name}:${header(name)?.trim()}`).join(';'), 'latin1');
  return [utf8(`${delivery.method}\n${path}\n`), headers, '\n', delivery.body];
}

/** The headers that were signed before, as far as the request still has them. */
function signCanonicalRequest(task: SigningTask): SignedParts {
  const own = [namesHeader, 'x-contentful-timestamp'];
  const others = signedNames(task.reader).filter(name => !own.includes(name) && task.reader.header(name) !== undefined);
  const names = [...own, ...others].sort();
  const { delivery } = task.reader;
  const reader = createDeliveryReader({
    ...delivery,
    rawHeaders: withHeader(delivery.rawHeaders, namesHeader, names.join(',')),
  });
  const digest = hmacOf(
    'sha256',
    utf8(task.secret),
    canonicalRequest(reader, pathSpellings(task.url)[0] ?? '/', names),
  );
  return {
    headers: [
      [namesHeader, names.join(',')],
      ['x-contentful-signature', task.seal(digest).toString('hex')],
    ],
  };
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
