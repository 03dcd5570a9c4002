/*
 * Finds the causes why a signature is invalid with a secret: proven ones, by verifying what the sender probably signed, and
 * likely ones. Causes are proven only with a secret that the caller passed.
 */

import type { SignatureCause } from '../../core/events/signature-causes.ts';
import { redacted } from '../../core/headers.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import type { RawDelivery, Verdict } from './model.ts';
import type { SignatureScheme } from './signature-scheme.ts';
import type { SignedMessage, SignedPart } from './signed-message.ts';
import type { Attempt } from './verify.ts';

/** `proven`: with this change, the signature is valid. */
export type Cause = { cause: SignatureCause; proven: boolean };

/** No cause is proven for a larger body, because each trial hashes the body again. */
const maxTriedBytes = 256 << 10;
/** JSON that would need more indentation is not re-encoded, because deep JSON would become thousands of times as long. */
const maxIndentation = 2 << 20;
/** The widest indentation that is tried. */
const indentWidth = 4;

/** Proven causes are tried only with the secret in the request. */
export function findCauses(failed: {
  verdict: Verdict | null;
  scheme: SignatureScheme;
  /** Null: only likely causes are named. */
  secret: string | null;
  signed: SignedMessage | null;
  attempt: Attempt;
}): Cause[] {
  const { verdict, signed } = failed;
  switch (verdict?.reason) {
    case 'wrong_secret_or_altered_body': {
      const covers = (part: SignedPart['from']): boolean => signed?.parts.some(({ from }) => from === part) ?? false;
      const [coversBody, coversUrl] = [covers('body'), covers('url')];
      const proven = provenCause(failed, { coversBody, coversUrl });
      if (proven) return [{ cause: proven, proven: true }];
      return likely(
        'other_secret',
        'other_mode',
        ...only(coversUrl, 'url_mismatch'),
        ...only(coversBody, 'body_changed'),
      );
    }
    case 'timestamp_out_of_tolerance':
      return likely('late_delivery', 'server_clock');
    case 'malformed_header':
      return likely('header_changed');
    case 'unsupported':
      return likely(...only(hasRedactedHeader(failed), 'credential_not_stored'));
    default:
      return [];
  }
}

const likely = (...names: SignatureCause[]): Cause[] => names.map(cause => ({ cause, proven: false }));
const only = (condition: boolean, name: SignatureCause): SignatureCause[] => (condition ? [name] : []);

const hasRedactedHeader = ({ scheme, attempt }: { scheme: SignatureScheme; attempt: Attempt }): boolean =>
  scheme.header !== null && attempt.reader.header(scheme.header)?.trim() === redacted;

type Trial = { cause: SignatureCause; secret?: string; delivery?: RawDelivery; urls?: readonly string[] };

type Covered = { coversBody: boolean; coversUrl: boolean };

function provenCause(
  { scheme, secret, attempt }: { scheme: SignatureScheme; secret: string | null; attempt: Attempt },
  { coversBody, coversUrl }: Covered,
): SignatureCause | undefined {
  const { delivery } = attempt.reader;
  if (secret === null || delivery.body.length > maxTriedBytes) return undefined;
  const trials: Trial[] = [
    { cause: 'secret_prefix', secret: secret.replace(/^whsec_|^/, found => (found ? '' : 'whsec_')) },
  ];
  if (coversUrl) trials.push({ cause: 'other_url', urls: urlsOf(attempt) });
  if (coversBody)
    for (const [cause, body] of bodiesOf(delivery)) trials.push({ cause, delivery: { ...delivery, body } });
  return trials.find(trial => {
    const outcome = scheme.verify({
      scheme,
      secret: trial.secret ?? secret,
      reader: trial.delivery ? createDeliveryReader(trial.delivery) : attempt.reader,
      receivedAt: attempt.receivedAt,
      urls: trial.urls ?? attempt.urls,
    });
    return outcome === 'valid' || outcome === 'stale';
  })?.cause;
}

/** The bodies that a proxy or a framework may have received before changing them. */
function bodiesOf({ body }: RawDelivery): [SignatureCause, Uint8Array][] {
  if (body.length === 0) return [];
  const text = Buffer.from(body).toString('latin1');
  const bytes = (changed: string): Uint8Array => Buffer.from(changed, 'latin1');
  const unified = text.replaceAll('\r\n', '\n');
  return [
    ['body_line_end', bytes(withoutLineEnd(text))],
    ['body_line_end', bytes(`${text}\n`)],
    ['body_line_breaks', bytes(unified)],
    ['body_line_breaks', bytes(unified.replaceAll('\n', '\r\n'))],
    ...jsonSpellings(Buffer.from(body).toString('utf8')).map((spelling): [SignatureCause, Uint8Array] => [
      'body_json_rewritten',
      Buffer.from(spelling, 'utf8'),
    ]),
  ];
}

/** Without a regular expression, which would try each of many line breaks as the start of the trailing ones. */
function withoutLineEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\r\n]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Brackets and commas in strings count as well, so some JSON is not tried although it could be. */
function isLongWhenIndented(text: string): boolean {
  let depth = 0;
  let indentation = 0;
  for (const [mark] of text.matchAll(/[[\]{},]/g)) {
    if (mark === '[' || mark === '{') depth++;
    else if (mark !== ',') depth--;
    indentation += Math.max(0, depth) * indentWidth;
    if (indentation > maxIndentation) return true;
  }
  return false;
}

/** The JSON as the encoders of common languages write it. */
function jsonSpellings(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (isLongWhenIndented(text)) return [];
    const compact = JSON.stringify(value);
    const escaped = (json: string): string =>
      json.replace(/[^\x20-\x7e\n]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const spaced = JSON.stringify(value, null, 1)
      .replace(/([[{])\n\s*/g, '$1')
      .replace(/\n\s*([\]}])/g, '$1')
      .replace(/\n\s*/g, ' ');
    const indented = [2, indentWidth].map(width => JSON.stringify(value, null, width));
    return [compact, escaped(compact), compact.replaceAll('/', '\\/'), spaced, escaped(spaced), ...indented];
  } catch {
    return [];
  }
}

/**
 * Variants of the URL: http and https, with and without the trailing slash and the query, and with the host that the request
 * named.
 */
function urlsOf({ urls, reader }: Attempt): string[] {
  const host = (reader.header('x-forwarded-host') ?? reader.header('host'))?.split(',')[0]?.trim();
  return urls.flatMap(url => {
    const [, scheme, authority = '', rest = ''] = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
    if (scheme === undefined) return [];
    const path = rest.split('?')[0] ?? '';
    const query = rest.slice(path.length);
    const paths = [path.endsWith('/') ? path.slice(0, -1) : `${path}/`, path];
    const authorities = [...new Set([authority, host ?? authority])];
    return ['https', 'http'].flatMap(one =>
      authorities.flatMap(name =>
        paths.flatMap(each => [`${one}://${name}${each}${query}`, `${one}://${name}${each}`]),
      ),
    );
  });
}
