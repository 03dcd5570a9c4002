/* Redacts the pairs of a query or of a form's body, as text of one character a byte. Other characters stay as they came. */

import { latin1 } from '../encoding/buffer.ts';
import type { Detector, Redacting } from './detect.ts';
import { decoded, written } from './layers.ts';
import { noRule } from './paths.ts';
import { isReplacement, replacementOf, textOf } from './replacement.ts';
import type { Taken } from './taken.ts';

export type PairRedaction = Redacting & {
  /** @param names the readings of one name */
  ruleOfName: (names: readonly string[]) => number;
  fieldOf: (name: string) => string;
};

/** @returns the text itself if nothing changes */
export function redactPairs(text: string, redaction: PairRedaction, taken: Taken): string {
  /** What is kept, up to `copied`. Every pair after the first begins with its `&`. */
  let kept = '';
  let copied = 0;
  let isChanged = false;
  let isFirst = true;
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    const next = text.indexOf('&', start);
    end = next < 0 ? text.length : next;
    if (end > start) {
      const after = redactPair(text, start, end, redaction, taken);
      if (after === undefined) {
        kept += text.slice(copied, Math.max(copied, isFirst ? start : start - 1));
        copied = isFirst ? end + 1 : end;
        isChanged = true;
        continue;
      }
      if (after.value !== undefined) {
        kept += text.slice(copied, after.from) + after.value;
        copied = end;
        isChanged = true;
      }
    }
    isFirst = false;
  }
  return isChanged ? kept + text.slice(copied) : text;
}

/** @returns undefined to remove the pair; `value`: what to write from `from` on, undefined to keep it */
function redactPair(
  text: string,
  start: number,
  end: number,
  { ruleOfName, treatments, key, detector, isRedacted, fieldOf }: PairRedaction,
  taken: Taken,
): { from: number; value: string | undefined } | undefined {
  const equals = text.indexOf('=', start);
  const endOfName = equals < 0 || equals > end ? end : equals;
  const from = Math.min(endOfName + 1, end);
  const names = readings(text.slice(start, endOfName));
  const field = (): string => fieldOf(names[0] ?? '');
  const raw = text.slice(from, end);
  const rule = ruleOfName(names);
  if (rule === noRule) {
    // Without an equals sign it is a value without a name: `?ada@example.org`.
    const hasName = from > endOfName;
    const value =
      detector &&
      redactText(hasName ? raw : text.slice(start, end), 'form', detector, taken, hasName ? field : () => fieldOf(''));
    return { from: hasName ? from : start, value };
  }
  const treatment = treatments[rule] ?? 'remove';
  const value = bytesOf(raw);
  const before = textOf(value);
  if (treatment !== 'remove' && isRedacted && isReplacement(before)) return { from, value: undefined };
  const after = treatment === 'remove' ? null : replacementOf(treatment, value, key);
  if (after === before) return { from, value: undefined };
  taken.note({ rule, field, before: () => before, after });
  return after === null ? undefined : { from, value: `${from > endOfName ? '' : '='}${encoded(after)}` };
}

/** @returns undefined if nothing changes */
export function redactText(
  text: string,
  encoding: 'form' | 'percent' | 'plain',
  detector: Detector,
  taken: Taken,
  field: () => string,
): string | undefined {
  const hits = detector.find(text, encoding);
  if (hits.length === 0) return undefined;
  let out = '';
  let from = 0;
  for (const hit of hits) {
    const { before, after } = detector.change(hit);
    const write = encoding === 'plain' ? latin1(Buffer.from(after, 'utf8')) : encoded(after);
    out += text.slice(from, hit.start) + write;
    from = hit.end;
    taken.note({ rule: hit.rule, field, before, after });
  }
  return out + text.slice(from);
}

/** In queries, a plus sign may be one or a space. */
export function readings(name: string): string[] {
  if (!/[%+\x80-\xff]/.test(name)) return [name];
  const asSpace = textOf(bytesOf(name));
  return name.includes('+') ? [asSpace, textOf(bytesOf(name.replaceAll('+', '%2B')))] : [asSpace];
}

const bytesOf = (raw: string): Uint8Array =>
  Buffer.from(
    /[%+]/.test(raw) ? decoded(written(raw), { hasEscapes: false, hasPercent: true, isPlusSpace: true }).text : raw,
    'latin1',
  );

/** What is written is readable: only characters that would end the value or that are not ASCII are encoded. */
const encoded = (text: string): string =>
  text.toWellFormed().replace(/[^\w.~*@!$'(),;:/?[\]-]/gu, character => encodeURIComponent(character));
