/* Redacts valid UTF-8 JSON as bytes in one pass. It is at most 1,000 levels deep, so that recursion is safe. */
import { bodyField } from '../../shared/filter/field-names.ts';
import { latin1 } from '../encoding/buffer.ts';
import {
  closeList,
  closeObject,
  comma,
  endOfByteOrderMark,
  endOfScalar,
  endOfString,
  endOfValue,
  openList,
  openObject,
  quote,
  skipSpace,
  stringAt,
  textAt,
} from '../json/bytes.ts';
import type { Detector, Redacting } from './detect.ts';
import { redactText } from './pairs.ts';
import { type BodyPaths, type Branch, branchesOfItem, branchesOfKey, noRule, ruleOf } from './paths.ts';
import { isReplacement, replacementOf, type Value } from './replacement.ts';
import { createSplicer } from './splicer.ts';
import { shortField, type Taken } from './taken.ts';

export type JsonRedaction = Redacting & { paths: BodyPaths };

/** Where a value is. `key`: undefined for an item of a list. */
type Place = { parent: Place | undefined; key: string | undefined; name: string | undefined };

/** @returns undefined if it would become too large; `body` itself if nothing changes */
export function redactJson(body: Uint8Array, redaction: JsonRedaction, taken: Taken): Uint8Array | undefined {
  const { paths, treatments, key: hashKey, detector, isRedacted } = redaction;
  const splicer = createSplicer(body);
  const looksEverywhere = detector !== undefined || paths.anywhere.keys.size > 0 || paths.anywhere.item !== undefined;
  let text: string | undefined;

  /** @returns the position after the value */
  const redactValue = (at: number, branches: readonly Branch[], place: Place): number => {
    const byte = body[at];
    if (byte === openObject || byte === openList) {
      if (!looksEverywhere && branches.length === 0) return endOfValue(body, at);
      return byte === openObject ? redactObject(at, branches, place) : redactList(at, branches, place);
    }
    const end = byte === quote ? endOfString(body, at + 1) + 1 : endOfScalar(body, at);
    if (detector?.mayHit(body, at, end)) {
      const detectIn = byte === quote ? detectInString : detectInScalar;
      detectIn(detector, at, end, place);
    }
    return end;
  };

  const redactObject = (open: number, branches: readonly Branch[], place: Place): number => {
    let cutFrom = -1;
    let previousEnd = -1;
    let cutAfter = -1;
    let at = skipSpace(body, open + 1);
    while (body[at] !== closeObject) {
      const start = at;
      const endOfKey = endOfString(body, at + 1) + 1;
      const key = stringAt(body, at, endOfKey);
      at = skipSpace(body, skipSpace(body, endOfKey) + 1);
      const found = branchesOfKey(branches, paths.anywhere, key);
      const rule = ruleOf(found);
      const member: Place = { parent: place, key, name: undefined };
      let end: number;
      if (rule !== noRule && treatments[rule] === 'remove') {
        end = endOfValue(body, at);
        const from = at;
        taken.note({ rule, field: () => fieldOf(member), before: () => textAt(body, from, end), after: null });
        if (cutFrom < 0) [cutFrom, cutAfter] = [start, previousEnd];
      } else {
        if (cutFrom >= 0) splicer.replace(cutFrom, start, '');
        cutFrom = -1;
        end = rule === noRule ? redactValue(at, found, member) : replaceValue(at, rule, member);
      }
      previousEnd = end;
      at = skipSpace(body, end);
      if (body[at] === comma) at = skipSpace(body, at + 1);
    }
    if (cutFrom >= 0) splicer.replace(cutAfter < 0 ? cutFrom : cutAfter, previousEnd, '');
    return at + 1;
  };

  const redactList = (open: number, branches: readonly Branch[], place: Place): number => {
    const item: Place = { parent: place, key: undefined, name: undefined };
    let at = skipSpace(body, open + 1);
    for (let index = 0; body[at] !== closeList; index++) {
      const found = branchesOfItem(branches, paths.anywhere, index);
      const rule = ruleOf(found);
      at = skipSpace(body, rule === noRule ? redactValue(at, found, item) : replaceValue(at, rule, item));
      if (body[at] === comma) at = skipSpace(body, at + 1);
    }
    return at + 1;
  };

  /** Writes `null`, a mask or a hash. */
  const replaceValue = (at: number, rule: number, place: Place): number => {
    const end = endOfValue(body, at);
    if (splicer.isTooLarge()) return end;
    const treatment = treatments[rule] ?? 'remove';
    const isWhole = body[at] === openObject || body[at] === openList;
    const value: Value = body[at] === quote ? stringAt(body, at, end) : body.subarray(at, end);
    if (isRedacted && typeof value === 'string' && isReplacement(value)) return end;
    const after = treatment === 'remove' ? null : replacementOf(treatment, value, hashKey, isWhole);
    if (splicer.replace(at, end, JSON.stringify(after)))
      taken.note({ rule, field: () => fieldOf(place), before: () => textAt(body, at, end), after });
    return end;
  };

  const detectInString = (search: Detector, start: number, end: number, place: Place): void => {
    text ??= latin1(body);
    const raw = text.slice(start + 1, end - 1);
    const hits = search.find(raw, 'json');
    for (const hit of hits) {
      const { before, after } = search.change(hit);
      if (splicer.replace(start + 1 + hit.start, start + 1 + hit.end, after))
        taken.note({ rule: hit.rule, field: () => fieldOf(place), before, after });
    }
  };

  /** A number with a hit becomes a string. */
  const detectInScalar = (search: Detector, start: number, end: number, place: Place): void => {
    const written = redactText(textAt(body, start, end), 'plain', search, taken, () => fieldOf(place));
    if (written !== undefined) splicer.replace(start, end, `"${written}"`);
  };

  redactValue(skipSpace(body, endOfByteOrderMark(body)), [paths.root], { parent: undefined, key: '', name: 'body' });
  return splicer.result();
}

function fieldOf(place: Place): string {
  if (place.name !== undefined) return place.name;
  const parent = place.parent ? fieldOf(place.parent) : 'body';
  place.name = shortField(parent + bodyField([place.key]).slice('body'.length));
  return place.name;
}
