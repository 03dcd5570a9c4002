/* Why a signature is invalid with a secret: proven and likely causes. Nothing here returns what a secret produces. */

import type { SignatureCause } from '../../core/events/signature-causes.ts';
import { redacted } from '../../core/headers.ts';
import { tryJson } from '../../core/json/try-json.ts';
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import type { RawDelivery, Verdict } from './model.ts';
import { canUseSecret } from './secrets.ts';
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

type Signed = { scheme: SignatureScheme; signed: SignedMessage | null; attempt: Attempt };

const covers = (signed: SignedMessage | null, part: SignedPart['from']): boolean =>
  signed?.parts.some(({ from }) => from === part) ?? false;

/** A generator, because many secrets and a large body take long. */
export function* findCauses(
  failed: Signed & {
    verdict: Verdict | null;
    /** Null: only likely causes are named. */
    secret: string | null;
  },
): Generator<void, Cause[]> {
  const { verdict, signed, secret } = failed;
  switch (verdict?.reason) {
    case 'wrong_secret_or_altered_body': {
      const [coversBody, coversUrl] = [covers(signed, 'body'), covers(signed, 'url')];
      const proven = secret === null ? undefined : yield* createTrials(failed).undo(secret);
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

type Trial = { cause: SignatureCause; reader?: DeliveryReader; urls?: readonly string[] };

export type Trials = ReturnType<typeof createTrials>;

/** Tries secrets on one delivery. */
export function createTrials({ scheme, signed, attempt }: Signed) {
  const { delivery } = attempt.reader;
  const isFitting = (secret: string, { reader, urls }: Partial<Trial> = {}): boolean => {
    if (!canUseSecret(scheme.keyFormat, secret)) return false;
    const outcome = scheme.verify({
      scheme,
      secret,
      receivedAt: attempt.receivedAt,
      reader: reader ?? attempt.reader,
      urls: urls ?? attempt.urls,
    });
    return outcome === 'valid' || outcome === 'stale';
  };
  const isTried = delivery.body.length <= maxTriedBytes;
  let changed: Trial[] | undefined;
  function* trials(): Generator<void, Trial[]> {
    if (changed) return changed;
    const made: Trial[] = covers(signed, 'url') ? [{ cause: 'other_url', urls: urlsOf(attempt) }] : [];
    for (const [cause, body] of covers(signed, 'body') ? bodiesOf(delivery) : []) {
      made.push({ cause, reader: createDeliveryReader({ ...delivery, body }) });
      yield;
    }
    changed = made;
    return made;
  }
  return {
    /** Whether the signature is right with this secret, regardless of its age. */
    fits: (secret: string): boolean => isFitting(secret),

    /** The cause with which undone the signature is right with this secret. */
    *undo(secret: string): Generator<void, SignatureCause | undefined> {
      if (!isTried) return undefined;
      if (isFitting(secret.replace(/^whsec_|^/, found => (found ? '' : 'whsec_')))) return 'secret_prefix';
      for (const trial of yield* trials()) {
        yield;
        if (isFitting(secret, trial)) return trial.cause;
      }
      return undefined;
    },

    /** The causes that `undo` tries. */
    *causes(): Generator<void, SignatureCause[]> {
      if (!isTried) return [];
      return [...new Set<SignatureCause>(['secret_prefix', ...(yield* trials()).map(({ cause }) => cause)])];
    },
  };
}

/** The bodies that a proxy or a framework may have received before changing them. */
function* bodiesOf({ body }: RawDelivery): Generator<[SignatureCause, Uint8Array]> {
  if (body.length === 0) return;
  const text = Buffer.from(body).toString('latin1');
  const bytes = (changed: string): Uint8Array => Buffer.from(changed, 'latin1');
  yield ['body_line_end', bytes(withoutLineEnd(text))];
  yield ['body_line_end', bytes(`${text}\n`)];
  const unified = text.replaceAll('\r\n', '\n');
  yield ['body_line_breaks', bytes(unified)];
  yield ['body_line_breaks', bytes(unified.replaceAll('\n', '\r\n'))];
  for (const spelling of jsonSpellings(Buffer.from(body).toString('utf8')))
    yield ['body_json_rewritten', Buffer.from(spelling, 'utf8')];
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
function* jsonSpellings(text: string): Generator<string> {
  const value = tryJson(text);
  if (value === undefined || isLongWhenIndented(text)) return;
  const compact = JSON.stringify(value);
  const escaped = (json: string): string =>
    json.replace(/[^\x20-\x7e\n]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  yield compact;
  yield escaped(compact);
  yield compact.replaceAll('/', '\\/');
  const spaced = JSON.stringify(value, null, 1)
    .replace(/([[{])\n\s*/g, '$1')
    .replace(/\n\s*([\]}])/g, '$1')
    .replace(/\n\s*/g, ' ');
  yield spaced;
  yield escaped(spaced);
  for (const width of [2, indentWidth]) yield JSON.stringify(value, null, width);
}

/** Variants of the URL: http and https, with and without trailing slash and query, and with the requested host. */
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
