/*
 * Keeps the token of a guard out of storage. Its value is replaced wherever the query or a header has it, whether or not the
 * delivery was accepted, and also inside other text: a token followed by a line break is refused, but still redacted. Path and body stay
 * as they were sent.
 */
import { latin1 } from '../buffer.ts';
import { type HeaderPair, lowerName, readFieldLines, redacted, toFieldLines } from '../headers.ts';
import type { ReadyGuard } from './model.ts';
import { readParameters } from './parameters.ts';

/** A shorter token is replaced only where the guard looks for it: elsewhere the same text may mean something else. */
const minUnmistakable = 8;

type Stored = { fields: Uint8Array; query: string | null };

/** @returns undefined when nothing in it is the token */
export function withoutToken({ token }: Pick<ReadyGuard, 'token'>, given: Stored): Stored | undefined {
  if (!token) return undefined;
  const query = given.query === null ? null : redactQuery(token, given.query);
  const spellings = spellingsIn(token.value, given.query);
  const fields = redactFields(token, spellings, given.fields);
  return query === given.query && fields === given.fields ? undefined : { query, fields };
}

type Token = NonNullable<ReadyGuard['token']>;

const isUnmistakable = (text: string): boolean => text.length >= minUnmistakable;

function redactQuery({ in: place, name, value }: Token, query: string): string {
  return readParameters(query)
    .map(({ raw, prefix, names, values }) => {
      const isHere = isUnmistakable(value)
        ? [...values, ...names].some(text => text.includes(value))
        : place === 'query' && names.includes(name) && values.includes(value);
      if (!isHere) return raw;
      return values.some(text => text.includes(value)) && !names.some(text => text.includes(value))
        ? `${prefix}${redacted}`
        : redacted;
    })
    .join('&');
}

/** How the token may be written: plainly, percent-encoded, and as the sender wrote it in the query. */
function spellingsIn(value: string, query: string | null): string[] {
  const sent = readParameters(query)
    .filter(({ values }) => values.includes(value))
    .map(({ raw, prefix }) => raw.slice(prefix.length));
  return [...new Set([...sent, encodeURIComponent(value), value])]
    .filter(isUnmistakable)
    .sort((a, b) => b.length - a.length);
}

function redactFields({ in: place, name, value }: Token, spellings: readonly string[], fields: Uint8Array): Uint8Array {
  const text = latin1(fields);
  const isShortHeader = place === 'header' && !isUnmistakable(value);
  if (!isShortHeader && !spellings.some(spelling => text.includes(spelling))) return fields;
  let isChanged = false;
  const pairs = readFieldLines(fields).map((pair): HeaderPair => {
    const kept =
      isShortHeader && lowerName(pair[0]) === name && pair[1] === value
        ? redacted
        : spellings.reduce((left, spelling) => left.replaceAll(spelling, redacted), pair[1]);
    if (kept === pair[1]) return pair;
    isChanged = true;
    return [pair[0], kept];
  });
  return isChanged ? toFieldLines(pairs.flat()) : fields;
}
