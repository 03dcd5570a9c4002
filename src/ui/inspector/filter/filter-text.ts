/* Edits a filter's text, which alone defines the filter. Positions count characters (Unicode code points), as the parser counts them. */

import { type Filter, FilterError, textOf } from '../../../shared/filter/filter.ts';
import { parseFilter } from '../../../shared/filter/parser.ts';
import { quoted, toCharacters } from '../../../shared/filter/tokens.ts';

/** Quoting is not needed for values of these characters, if the parser reads them so. */
const plainValue = /^[\p{L}\p{N}_/-][\p{L}\p{N}_.@+/-]*$/u;
/** A longer value makes an unreadable filter; the whole filter may have 2 KiB. */
const maxValueCharacters = 400;

/**
 * The term for exactly this value. Undefined if it cannot be typed, because of control characters.
 * @param isText a text that looks like a number or a JSON word is quoted, because it is neither
 */
export function termFor(field: string, value: string, { isText = false } = {}): string | undefined {
  if (/\p{Cc}/u.test(field + value) || value.length > maxValueCharacters || !value.isWellFormed()) return undefined;
  const isAmbiguous = isText && /^(?:-?\d.*|true|false|null)$/.test(value);
  const values = plainValue.test(value) && !isAmbiguous ? [value, quoted(value)] : [quoted(value)];
  return values.map(written => `${field}:${written}`).find(term => readsAs(term, value));
}

const readsAs = (term: string, value: string): boolean => {
  const filter = parse(term);
  if (filter instanceof FilterError || filter.root?.kind !== 'term') return false;
  const { root } = filter;
  return (root.on === 'column' || root.on === 'content') && root.value.text.toLowerCase() === value.toLowerCase();
};

export function parse(text: string): Filter | FilterError {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
}

export function problemIn(text: string): FilterError | undefined {
  const parsed = parse(text);
  return parsed instanceof FilterError ? parsed : undefined;
}

/** The texts of the parts that must all hold. A text that is not a filter has no parts. */
export function partsOf(text: string): string[] {
  const filter = parse(text);
  return filter instanceof FilterError ? [] : filter.parts.map(part => textOf(filter, part));
}

/** A filter of which all these parts must hold. A choice (`a OR b`) needs parentheses beside other parts. */
export const joinParts = (parts: readonly string[]): string =>
  parts
    .map(part => {
      const filter = parse(part);
      const isChoice = parts.length > 1 && !(filter instanceof FilterError) && filter.root?.kind === 'or';
      return isChoice && !isGroup(part) ? `(${part})` : part;
    })
    .join(' ');

/** Whether one pair of parentheses encloses the whole text. */
const isGroup = (text: string): boolean => /^\(.*\)$/s.test(text) && !problemIn(text.slice(1, -1));

/** The filter with one more part, which must hold, too. A text that is not a filter is replaced. */
export function withPart(text: string, part: string): string {
  const parts = partsOf(text);
  return parts.includes(part) ? text : joinParts([...parts, part]);
}

export const withoutPart = (text: string, index: number): string =>
  joinParts(partsOf(text).filter((_, at) => at !== index));

const isTimePart = (part: string): boolean => /^received(?=[:<>])/.test(part);

export const timePartsOf = (text: string): string[] => partsOf(text).filter(isTimePart);

export const withTimeParts = (text: string, timeParts: readonly string[]): string =>
  joinParts([...partsOf(text).filter(part => !isTimePart(part)), ...timeParts]);

/** The index in the text (UTF-16, as a text field counts) of a character. */
export const indexAt = (text: string, position: number): number => [...text].slice(0, position).join('').length;

export const positionAt = (text: string, index: number): number => [...text.slice(0, index)].length;

/** The text with the field at the problem's position replaced by the nearest one. Undefined without a nearest field. */
export function withNearest(text: string, { position, nearest }: FilterError): string | undefined {
  if (nearest === null) return undefined;
  const characters = toCharacters(text);
  const [name = ''] = /^[^\s.:<>=[("]*/.exec(characters.slice(position).join('')) ?? [];
  return characters.slice(0, position).join('') + nearest + characters.slice(position).join('').slice(name.length);
}
