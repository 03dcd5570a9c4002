/* Keeps the token of a guard out of storage, wherever query or headers have it, also inside other text or encodings. */
import { latin1 } from '../encoding/buffer.ts';
import { type HeaderPair, lowerName, readFieldLines, redacted, toFieldLines } from '../headers.ts';
import type { Guard } from './model.ts';
import { readParameters } from './parameters.ts';
import { createTokenSearch, minTokenCharacters } from './token-search.ts';

type Token = NonNullable<Guard['token']>;
type Stored = { fields: Uint8Array; query: string | null };

/** @returns a function that returns what to store, or undefined when nothing in it is the token */
export function createTokenRedactor(token: Token): (given: Stored) => Stored | undefined {
  const { redactQuery, redactFields } =
    token.value.length < minTokenCharacters ? redactorOfPlace(token) : redactorOfText(token);
  return given => {
    const query = given.query === null ? null : redactQuery(given.query);
    const fields = redactFields(given.fields);
    return query === given.query && fields === given.fields ? undefined : { query, fields };
  };
}

type Redactor = { redactQuery: (query: string) => string; redactFields: (fields: Uint8Array) => Uint8Array };

/** For a short token, which is replaced only where the guard looks for it: elsewhere the same text may mean something else. */
function redactorOfPlace({ in: place, name, value }: Token): Redactor {
  const isHere = (names: readonly string[], values: readonly string[]): boolean =>
    names.includes(name) && values.includes(value);
  const lower = name.toLowerCase();
  return {
    redactQuery: query =>
      place === 'header'
        ? query
        : readParameters(query)
            .map(({ raw, prefix, names, values }) => (isHere(names, values) ? `${prefix}${redacted}` : raw))
            .join('&'),
    redactFields: fields =>
      place === 'query'
        ? fields
        : changeFields(fields, (field, text) => (lowerName(field) === lower && text === value ? redacted : text)),
  };
}

/** What may be redacted of a header value without the rest of it. A slash is part of base64. */
const word = /[^\s"'`<>()[\]{},;:=&?]+/g;

function redactorOfText({ value }: Token): Redactor {
  const holdsToken = createTokenSearch(value);
  /** The least of a text that can be replaced: the token itself, the words that hold it, or all. */
  const redactText = (text: string): string => {
    if (!holdsToken(text)) return text;
    const plain = text.replaceAll(value, redacted);
    const words = holdsToken(plain) ? plain.replace(word, found => (holdsToken(found) ? redacted : found)) : plain;
    return holdsToken(words) ? redacted : words;
  };
  const redactParameter = (raw: string, prefix: string): string => {
    if (!holdsToken(raw)) return raw;
    return holdsToken(raw.slice(prefix.length)) && !holdsToken(prefix) ? `${prefix}${redacted}` : redacted;
  };
  return {
    redactQuery: query => {
      if (!holdsToken(query)) return query;
      const left = readParameters(query)
        .map(({ raw, prefix }) => redactParameter(raw, prefix))
        .join('&');
      return holdsToken(left) ? redacted : left;
    },
    redactFields: fields => (holdsToken(latin1(fields)) ? changeFields(fields, (_, text) => redactText(text)) : fields),
  };
}

/** @returns the same fields when no value changes */
function changeFields(fields: Uint8Array, change: (name: string, text: string) => string): Uint8Array {
  let isChanged = false;
  const pairs = readFieldLines(fields).map((pair): HeaderPair => {
    const text = change(pair[0], pair[1]);
    if (text === pair[1]) return pair;
    isChanged = true;
    return [pair[0], text];
  });
  return isChanged ? toFieldLines(pairs.flat()) : fields;
}
