/* Reads one word of a filter: a field with operator and value, a phrase, or a bare word. */
import { readBodyPath } from './body-path.ts';
import { readColumn } from './columns.ts';
import { parseDecimal } from './decimal.ts';
import { type ContentName, fields, isColumn, isContent, nearestField } from './fields.ts';
import { type ContentField, FilterError, type Operator, type Span, type Term, type Value } from './filter.ts';
import { endOfQuoted, type Token, unquote } from './tokens.ts';

/** `=` and `!=` are not operators of the language, but users type them. */
type WrittenOperator = { readonly at: number; readonly end: number; readonly sign: Operator | '=' | '!=' };

/** @throws FilterError */
export function readTerm(characters: readonly string[], { start, end, openQuote }: Token): Term {
  if (openQuote !== undefined) throw new FilterError('this quote is not closed', openQuote);
  const base = { kind: 'term', start, end } as const;
  if (characters[start] === '"') return { ...base, on: 'text', text: readPhrase(characters, { start, end }) };
  const operator = findOperator(characters, { start, end });
  const name = characters.slice(start, operator?.at ?? end).join('');
  if (!operator || isText(name, operator, characters))
    return { ...base, on: 'text', text: readWord(characters, { start, end }) };
  const { at, sign } = operator;
  if (sign === '!=')
    throw new FilterError(`"!=" is not supported; to negate, put a "-" before the term: -${name || 'field'}:…`, at);
  if (sign === '=') throw new FilterError(`"=" is not supported; use ${name}:…`, at);
  const written = { ...operator, sign };
  if (name === 'has') return { ...base, on: 'has', ...readHas(characters, written, end) };
  if (isColumn(name)) {
    const value = readValue(characters, written, end, name === 'path');
    return { ...base, ...readColumn(name, { operator: sign, value, operatorAt: at, valueAt: operator.end }) };
  }
  const field = readContentField(characters, { start, end: at });
  if (!field) throw unknownField(name, start);
  return { ...base, on: 'content', operator: sign, ...field, ...readContentValue(characters, written, end) };
}

function readPhrase(characters: readonly string[], span: Span): string {
  const end = endOfQuoted(characters, span.start);
  if (end !== span.end) throw new FilterError('a space is missing after the quote', end ?? span.start);
  const text = unquote(characters, span);
  if (text === '') throw new FilterError('the quotes are empty', span.start);
  return text;
}

/** @throws FilterError if there is a quote in it */
function readUnquoted(characters: readonly string[], { start, end }: Span, correction: string): string {
  const quote = characters.indexOf('"', start);
  if (quote >= 0 && quote < end) throw new FilterError(correction, quote);
  return characters.slice(start, end).join('');
}

function readWord(characters: readonly string[], span: Span): string {
  const text = readUnquoted(characters, span, 'put the whole text in quotes, with \\" for a quote inside it');
  refuseRegularExpression(text, span.start);
  return text;
}

function refuseRegularExpression(text: string, position: number): void {
  if (/^\/.+\/$/su.test(text))
    throw new FilterError(
      'regular expressions are not supported; use * as a wildcard, or put the text in quotes',
      position,
    );
}

/** The first operator that is not between quotes. */
function findOperator(characters: readonly string[], { start, end }: Span): WrittenOperator | undefined {
  for (let at = start; at < end; at++) {
    const [character, next] = [characters[at], at + 1 < end ? characters[at + 1] : undefined];
    if (character === '"') at = (endOfQuoted(characters, at) ?? end) - 1;
    else if (character === ':' || character === '=') return { at, end: at + 1, sign: character };
    else if (character === '!' && next === '=') return { at, end: at + 2, sign: '!=' };
    else if (character === '>' || character === '<')
      return next === '=' ? { at, end: at + 2, sign: `${character}=` } : { at, end: at + 1, sign: character };
  }
  return undefined;
}

/**
 * Whether a word with an operator is nevertheless a text: a URL (`https://x`), a clock time (`12:30`), a piece of XML
 * (`<Status>`), an assignment (`status=ok`). A word that looks like a field is treated as a misspelt field.
 */
function isText(name: string, { end, sign }: WrittenOperator, characters: readonly string[]): boolean {
  if (sign === '!=') return false;
  const isField = isColumn(name) || name === 'has' || /^(?:header|query|body)(?:$|[.[])/.test(name);
  if (isField) return false;
  if (name === '') return sign === '=' || (sign === '<' && /[a-z/!?]/i.test(characters[end] ?? ''));
  if (sign === '=') return true;
  if (sign === ':' && characters[end] === '/' && characters[end + 1] === '/') return true;
  return !/^[a-z_][\w.-]*(?:\[|\.?"|$)/i.test(name);
}

function unknownField(name: string, position: number): FilterError {
  if (name === '')
    return new FilterError(
      'a field is missing before the operator, as in size>10k; to search for the text, put it in quotes',
      position,
    );
  if (isContent(name)) {
    const example = fields.find(field => field.name === `${name}.`)?.example ?? '';
    return new FilterError(`${name} needs a name, as in ${example}`, position);
  }
  const nearest = nearestField(name);
  const isPath = /[.[]/.test(name);
  const hint =
    nearest !== null
      ? `did you mean ${nearest}?`
      : isPath
        ? `write body.${name} for a field of the body`
        : 'put text with a ":" in quotes';
  return new FilterError(`there is no field "${name}"; ${hint}`, position, nearest);
}

/** Undefined unless the word is `header.`, `query.` or `body` with a path. @throws FilterError if the name is missing */
function readContentField(characters: readonly string[], { start, end }: Span): ContentField | undefined {
  const written = characters.slice(start, end).join('');
  const field = /^(?:(?:header|query)(?=\.)|body(?=[.[]))/.exec(written)?.[0] as ContentName | undefined;
  if (field === undefined) return undefined;
  const nameAt = start + field.length;
  if (field === 'body') return { field, ...readBodyPath(characters, { start: nameAt, end }) };
  const key = readKey(characters, { start: nameAt + 1, end });
  return { field, key: field === 'header' ? key.toLowerCase() : key };
}

function readKey(characters: readonly string[], span: Span): string {
  const { start, end } = span;
  if (start === end) throw new FilterError('a name is missing here', start);
  if (characters[start] === '"') {
    if (endOfQuoted(characters, start) === end) return unquote(characters, span);
    throw new FilterError('an operator is missing after the quote', endOfQuoted(characters, start) ?? start);
  }
  return readUnquoted(characters, span, 'put the whole name in quotes');
}

type WithOperator = WrittenOperator & { readonly sign: Operator };

function readHas(characters: readonly string[], { at, end: start, sign }: WithOperator, end: number): ContentField {
  if (sign !== ':') throw new FilterError('has needs ":", as in has:body.refund', at);
  const operator = findOperator(characters, { start, end });
  if (operator) throw new FilterError('has: takes only a field name, without a value', operator.at);
  const field = readContentField(characters, { start, end });
  if (field) return field;
  const name = characters.slice(start, end).join('');
  const nearest = isColumn(name) || isContent(name) ? null : nearestField(`${name}.`);
  throw new FilterError('has: takes a header, parameter or body field, as in has:body.refund', start, nearest);
}

function readContentValue(
  characters: readonly string[],
  operator: WithOperator,
  end: number,
): { value: Value; number: ReturnType<typeof parseDecimal> } {
  const value = readValue(characters, operator, end, false);
  const number = parseDecimal(value.text);
  if (operator.sign !== ':') {
    if (!number) throw new FilterError(`"${operator.sign}" takes a number`, operator.end);
    return { value, number };
  }
  return { value, number: value.isQuoted ? undefined : number };
}

function readValue(
  characters: readonly string[],
  { end: start, sign }: WithOperator,
  end: number,
  mayEndInSlashes: boolean,
): Value {
  if (start === end) throw new FilterError('a value is missing here', start);
  if (characters[start] === '"') {
    const closed = endOfQuoted(characters, start) ?? end;
    if (closed !== end) throw new FilterError('a space is missing after the quote', closed);
    return { text: unquote(characters, { start, end }), isQuoted: true };
  }
  const correction = 'put the whole value in quotes, with \\" for a quote inside it';
  const text = readUnquoted(characters, { start, end }, correction);
  if (text.startsWith('>') || text.startsWith('<'))
    throw new FilterError(
      `"${sign}" and "${text[0]}" can't be combined; use one of them, or put the value in quotes`,
      start,
    );
  if (!mayEndInSlashes) refuseRegularExpression(text, start);
  return { text, isQuoted: false };
}
