/* The explanation of a signature in words. */

import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatCount } from '../../kit/format/time.ts';
import { formatGap } from '../event/answered.ts';

type Cause = SignatureExplanation['causes'][number];
type Part = SignatureExplanation['parts'][number];

const gapOf = (seconds: number): string => formatGap(Math.round(Math.abs(seconds)) * 1000);

/** `Signed 3 h 2 min before it was received; Stripe allows 5 min.` Empty when the scheme has no timestamp. */
export function describeSkew({ timestampFrom, skewS, toleranceS, platform }: SignatureExplanation): string {
  if (timestampFrom === null) return '';
  if (skewS === null) return "The signature's timestamp can't be read.";
  const distance =
    Math.abs(skewS) < 1
      ? 'Signed within a second of being received'
      : `Signed ${gapOf(skewS)} ${skewS > 0 ? 'before' : 'after'} it was received`;
  const who = platform === null ? 'the scheme' : platformTitle(platform);
  return toleranceS === null ? `${distance}.` : `${distance}; ${who} allows ${gapOf(toleranceS)}.`;
}

/** `header stripe-signature, t`. */
export const describeSource = (from: string): string => {
  const [kind = '', name = ''] = from.split(/:(.*)/s);
  return kind === 'header' ? `header ${name.replace(' ', ', ')}` : `body field ${name}`;
};

const texts: Readonly<Record<Cause['cause'], string>> = {
  body_line_end: 'A line break at the end of the body was added or removed on the way.',
  body_line_breaks: 'The line breaks of the body were changed on the way (CRLF and LF).',
  body_json_rewritten: 'The JSON was parsed and rewritten on the way: same values, different bytes.',
  other_url: 'It was signed for a different URL (scheme, host or trailing slash), as happens behind a proxy.',
  secret_prefix: 'Only the whsec_ prefix of the secret is wrong.',
  body_changed: 'The body was changed on the way, for example by a proxy that rewrites JSON or line breaks.',
  other_secret: 'The secret belongs to another webhook or endpoint, or was rotated.',
  other_mode: 'The secret belongs to the other mode (test instead of live, or vice versa).',
  url_mismatch: 'It was signed for a different URL. This scheme signs the URL registered with the sender.',
  late_delivery: 'The delivery was resent or delayed with its old signature.',
  server_clock: "This server's clock or the sender's is wrong. If so, every delivery shows this.",
  header_changed: "The signature header was changed on the way, or doesn't come from the platform.",
  credential_not_stored: "The signature was in a credential header, which isn't stored. It was checked on arrival.",
};

export const describeCause = ({ cause }: Cause): string => texts[cause];

/** `…7786, …04ab`; `…` for a secret that is too short to show a part of it. */
export const describeSecrets = (secrets: readonly { last4: string }[]): string =>
  secrets.map(({ last4 }) => `…${last4}`).join(', ');

const changeNames: Partial<Record<Cause['cause'], string>> = {
  body_line_end: 'a final line break',
  body_line_breaks: 'line breaks',
  body_json_rewritten: 'rewritten JSON',
  other_url: 'another URL',
  secret_prefix: 'the prefix of the secret',
};

export function describeChanges(changes: readonly Cause['cause'][]): string {
  if (changes.length === 0) return 'Not tried, because the body is larger than 256 KiB.';
  const text = changes.flatMap(one => changeNames[one] ?? []).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How many other events of the platform within a minute are valid and invalid. `isAll`: whether all valid ones were counted. */
export type Neighbours = { valid: number; invalid: number; isAll: boolean };

/** Empty if there are no others. */
export function describeNeighbours(
  { valid, invalid, isAll }: Neighbours,
  { platform, tried }: SignatureExplanation,
): string {
  const others = (count: number): string =>
    `${formatCount(count, `other ${platformTitle(platform)} event`)} within a minute ${count === 1 ? 'is' : 'are'}`;
  if (valid === 0)
    return invalid > 0 && isAll
      ? `${others(invalid)} invalid, too, and none is valid. The saved secret is probably not the one that the sender uses.`
      : '';
  const [only, ...more] = tried?.secrets ?? [];
  const secret =
    only && more.length === 0 && only.last4 !== '' ? `the secret ${describeSecrets([only])}` : 'a saved secret';
  return `${isAll ? '' : 'At least '}${others(valid)} valid with ${secret}, so this sender probably uses another secret.`;
}

export function describeCheck(found: SignatureExplanation): { tone: 'good' | 'bad' | 'muted'; text: string } {
  if (found.verdict === 'valid') return { tone: 'good', text: 'The signature is valid with this secret.' };
  if (found.reason === 'timestamp_out_of_tolerance')
    return { tone: 'bad', text: 'The secret is right, but the signature was too old when the delivery arrived.' };
  if (found.reason === 'no_signature')
    return { tone: 'muted', text: `This event has no ${platformTitle(found.platform)} signature.` };
  if (found.reason === 'wrong_secret_or_altered_body')
    return {
      tone: 'bad',
      text: found.causes.some(one => one.proven)
        ? 'The secret is right, but the request was changed after signing.'
        : "The signature doesn't match this secret.",
    };
  if (found.reason === 'malformed_header') return { tone: 'bad', text: "The signature header can't be read." };
  return { tone: 'muted', text: "This signature can't be checked here." };
}

const partNames: Partial<Record<Part['from'], string>> = {
  body: 'body',
  url: 'URL',
  method: 'method',
  secret: 'the secret',
};

export const describePart = ({ from, name }: Part): string =>
  from === 'header' ? `header ${name ?? ''}` : (partNames[from] ?? 'fixed text or fields of the request');
