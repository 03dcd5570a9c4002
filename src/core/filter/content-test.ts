/* The test of a term about headers, query or body, for one value. */
import { compareDecimals, type Decimal, parseDecimal } from '../../shared/filter/decimal.ts';
import type { ContentTerm, HasTerm, Operator, Value } from '../../shared/filter/filter.ts';
import { asBuffer } from '../encoding/buffer.ts';
import { minus, openList, openObject, quote, stringAt } from '../json/bytes.ts';

export type ContentTest = {
  /** Whether any value meets the term. */
  readonly isPresence: boolean;
  /** Tests a header, a parameter or a field of a form. */
  readonly matchesText: (text: string) => boolean;
  readonly matchesJson: (body: Uint8Array, start: number, end: number) => boolean;
};

const always = (): boolean => true;
const presence: ContentTest = { isPresence: true, matchesText: always, matchesJson: always };

export function createContentTest(term: ContentTerm | HasTerm): ContentTest {
  if (term.on === 'has') return presence;
  return term.operator === ':' ? equality(term) : comparison(term.operator, term.number);
}

/** The text of a string, the digits of a number, or the word; numbers are equal even if they are written differently. */
function equality({ value, number }: ContentTerm): ContentTest {
  const matchesText = createTextMatch(value);
  return {
    isPresence: false,
    matchesText,
    matchesJson: (body, start, end) => {
      if (body[start] === quote) return matchesText(stringAt(body, start, end));
      if (isContainer(body[start])) return false;
      const written = asBuffer(body).toString('latin1', start, end);
      if (matchesText(written)) return true;
      if (!number || !isNumber(body[start])) return false;
      const found = parseDecimal(written);
      return found !== undefined && compareDecimals(found, number) === 0;
    },
  };
}

function comparison(operator: Exclude<Operator, ':'>, wanted: Decimal | undefined): ContentTest {
  const matchesText = (text: string): boolean => {
    const found = wanted && parseDecimal(text);
    return wanted !== undefined && found !== undefined && isOrdered(operator, compareDecimals(found, wanted));
  };
  return {
    isPresence: false,
    matchesText,
    // A JSON string is not a number, even if it contains one.
    matchesJson: (body, start, end) =>
      isNumber(body[start]) && matchesText(asBuffer(body).toString('latin1', start, end)),
  };
}

function isOrdered(operator: Exclude<Operator, ':'>, order: number): boolean {
  if (operator === '>') return order > 0;
  if (operator === '>=') return order >= 0;
  return operator === '<' ? order < 0 : order <= 0;
}

const isContainer = (byte: number | undefined): boolean => byte === openObject || byte === openList;

const isNumber = (byte = 0): boolean => byte === minus || (byte >= 0x30 && byte <= 0x39);

/** Compares a text with the value of a term: the whole text, with `*` for any characters in an unquoted value. Takes linear time. */
export function createTextMatch({ text: wanted, isQuoted }: Value): (text: string) => boolean {
  const [first = '', ...rest] = isQuoted ? [wanted] : wanted.split('*');
  const last = rest.pop();
  if (last === undefined) return text => text === wanted;
  const between = rest.filter(piece => piece !== '');
  return text => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    // Taking the first match of each piece leaves the most text for the following pieces.
    let at = first.length;
    for (const piece of between) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= end;
  };
}
