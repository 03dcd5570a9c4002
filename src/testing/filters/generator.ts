/*
 * Random filters about given events, each with its meaning: in plain JavaScript and, if all its terms are about a JSON body, as
 * a program for jq.
 */
import { createRandom } from '../../../scripts/lib/payloads.ts';
import {
  type GeneratedFilter,
  globPattern,
  inQuotes,
  isKey,
  isNumber,
  isPlain,
  isScalar,
  jqPath,
  type Meaning,
  matchesText,
  ordered,
  type PlainEvent,
  type Scalar,
  type Step,
  unescaped,
  valuesAt,
} from './meaning.ts';

type Random = (below: number) => number;

export function createFilterGenerator(seed: number, events: readonly PlainEvent[]) {
  const random = createRandom(seed);
  const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const terms = createTerms(random, oneOf);

  /** `level`: 0 an OR, 1 an AND, 2 a NOT, 3 a term or parentheses. */
  type Part = GeneratedFilter & { level: number };
  const inParentheses = (part: Part, level: number): string => (part.level < level ? `(${part.text})` : part.text);

  const combine = (kind: 'and' | 'or', parts: readonly Part[]): Part => {
    const jqs = parts.flatMap(({ jq }) => (jq === undefined ? [] : [`(${jq})`]));
    return {
      text:
        kind === 'and'
          ? parts.map(part => inParentheses(part, 2)).join(oneOf([' ', '  ', ' AND ']))
          : parts.map(part => inParentheses(part, 1)).join(' OR '),
      matches: (event, now) =>
        kind === 'and' ? parts.every(part => part.matches(event, now)) : parts.some(part => part.matches(event, now)),
      jq: jqs.length === parts.length ? jqs.join(` ${kind} `) : undefined,
      level: kind === 'and' ? 1 : 0,
    };
  };

  const negate = (part: Part): Part => ({
    text: `${oneOf(['-', 'NOT '])}${inParentheses(part, 2)}`,
    matches: (event, now) => !part.matches(event, now),
    jq: part.jq === undefined ? undefined : `(${part.jq}) | not`,
    level: 2,
  });

  const tree = (depth: number, isBodyOnly: boolean): Part => {
    const kind = depth === 0 ? 9 : random(10);
    if (kind >= 6) {
      const event = oneOf(events);
      return { ...(isBodyOnly ? terms.body(event) : terms.any(event)), level: 3 };
    }
    if (kind >= 4) return negate(tree(depth - 1, isBodyOnly));
    const parts = Array.from({ length: 2 + random(2) }, () => tree(depth - 1, isBodyOnly));
    return combine(kind >= 2 ? 'and' : 'or', parts);
  };

  return {
    any: (): GeneratedFilter => tree(3, false),
    /** Only terms about the body, so that there is a program for jq. */
    body: (): GeneratedFilter => tree(3, true),
  };
}

function createTerms(random: Random, oneOf: <T>(all: readonly T[]) => T) {
  const isIn = (value: number | null, operator: string, wanted: number): boolean =>
    value !== null && ordered(operator, value - wanted);
  const operator = (): string => oneOf([':', '>', '>=', '<', '<=']);

  /** A pattern for `text`, how it is written, and whether it is a glob. */
  const pattern = (text: string): { written: string; wanted: string; isGlob: boolean } => {
    const characters = [...text];
    const kind = random(6);
    const cut = (): string => {
      const from = random(characters.length + 1);
      return characters.slice(from, from + 1 + random(6)).join('');
    };
    const globs = [
      `${characters.slice(0, random(9)).join('')}*`,
      `*${characters.slice(-1 - random(9)).join('')}`,
      `*${cut()}*`,
      `${characters[0] ?? ''}*${cut()}*${characters.at(-1) ?? ''}`,
      `*${cut()}*${cut()}*`,
    ];
    const wanted = kind < 2 ? text : oneOf(globs);
    if (kind >= 2 && isPlain(wanted)) return { written: wanted, wanted, isGlob: true };
    const exact = kind === 5 ? cut() : text;
    if (kind === 0 && isPlain(exact) && !exact.includes('*')) return { written: exact, wanted: exact, isGlob: false };
    return { written: inQuotes(exact), wanted: exact, isGlob: false };
  };

  const column = (
    name: string,
    value: string | null,
    read: (event: PlainEvent) => string | null,
    ignoresCase = false,
  ) => {
    const { written, wanted, isGlob } = pattern(value ?? oneOf(['x', 'push']));
    const shown = ignoresCase ? oneOf([written.toUpperCase(), written.toLowerCase(), written]) : written;
    return term(`${name}:${shown}`, event => {
      const found = read(event);
      return found !== null && matchesText(found, wanted, isGlob, ignoresCase);
    });
  };

  const number = (name: string, value: number, read: (event: PlainEvent) => number | null) => {
    const [sign, wanted] = [operator(), value + oneOf([0, 0, 1, -1, 100])];
    return term(`${name}${sign}${Math.max(0, wanted)}`, event => isIn(read(event), sign, Math.max(0, wanted)));
  };

  const text = ({ type, body }: PlainEvent) => {
    const from = oneOf([type ?? 'x', body, body]);
    const at = random(from.length);
    const piece = from.slice(at, at + 1 + random(12)).replaceAll(/[\ud800-\udfff]/g, '') || 'x';
    const shown = oneOf([piece, piece.toUpperCase(), `${piece}~`]);
    const isWord = /^[a-zA-Z0-9][\w.*]*$/.test(shown) && !/^(?:OR|AND|NOT)$/.test(shown);
    const wanted = shown.toLowerCase();
    return term(isWord ? shown : inQuotes(shown), event =>
      [event.type ?? '', event.body, unescaped(event.body)].some(one => one.toLowerCase().includes(wanted)),
    );
  };

  const pair = (place: 'header' | 'query', event: PlainEvent) => {
    const [name, value] = oneOf(place === 'header' ? event.headers : event.params) ?? ['x', 'y'];
    const key = place === 'header' ? oneOf([name, name.toUpperCase()]) : name;
    const read = (one: PlainEvent): string[] =>
      (place === 'header' ? one.headers : one.params)
        .filter(([found]) => (place === 'header' ? found.toLowerCase() === name.toLowerCase() : found === name))
        .map(([, found]) => found);
    const field = `${place}.${/^[\w-]+$/.test(key) ? key : inQuotes(key)}`;
    if (random(4) === 0) return term(`has:${field}`, one => read(one).length > 0);
    if (random(3) === 0) {
      const [sign, wanted] = [oneOf(['>', '>=', '<', '<=']), (Number(value) || 0) + random(3) - 1];
      return term(`${field}${sign}${wanted}`, one =>
        read(one).some(found => isNumber(found) && ordered(sign, Number(found) - wanted)),
      );
    }
    const { written, wanted, isGlob } = pattern(value);
    return term(`${field}:${written}`, one => read(one).some(found => matchesText(found, wanted, isGlob)));
  };

  /** A path to somewhere in the body, and the value there. */
  const place = (json: unknown): { path: Step[]; value: unknown } => {
    const path: Step[] = [];
    let value = json;
    while (typeof value === 'object' && value !== null && (path.length === 0 || random(8) > 0)) {
      const keys = Object.keys(value);
      if (keys.length === 0) break;
      const key = oneOf(keys);
      path.push(Array.isArray(value) && random(4) > 0 ? 'item' : { key });
      value = (value as Record<string, unknown>)[key];
    }
    // Now and then a path that leads nowhere.
    if (random(12) === 0)
      path.push(oneOf<Step>([{ key: 'id' }, { key: '0' }, 'item', { key: 'length' }, { key: 'no such' }]));
    return { path, value };
  };

  const body = ({ json, form }: PlainEvent): GeneratedFilter => {
    const [name, field] = form ? (oneOf(form) ?? ['x', 'y']) : ['', ''];
    const { path, value } = form ? { path: [{ key: name }], value: field } : place(json);
    const shown = `body${path.map(step => (step === 'item' ? '[]' : step.key === '' || !isKey(step.key) ? `.${inQuotes(step.key)}` : `.${step.key}`)).join('')}`;
    const make = (
      rest: string,
      isMatch: (found: unknown, isForm: boolean) => boolean,
      jq: string,
    ): GeneratedFilter => ({
      text: rest === 'has' ? `has:${shown}` : `${shown}${rest}`,
      matches: event =>
        event.form
          ? event.form.some(
              ([key, found]) => path.length === 1 && key === (path[0] as { key: string }).key && isMatch(found, true),
            )
          : event.json !== undefined && valuesAt(event.json, path).some(found => isMatch(found, false)),
      jq: `any(${jqPath(path)}; ${jq})`,
    });
    if (random(5) === 0 || (typeof value === 'object' && value !== null)) return make('has', () => true, 'true');
    const scalar = (value ?? null) as Scalar;
    if (random(3) === 0 && (typeof scalar === 'number' || isNumber(scalar))) {
      const [sign, wanted] = [oneOf(['>', '>=', '<', '<=']), Number(scalar) + oneOf([0, 0, 1, -1, 0.5])];
      const compared = (found: unknown, isForm: boolean): boolean =>
        (typeof found === 'number' || (isForm && isNumber(found))) && ordered(sign, Number(found) - wanted);
      return make(
        `${sign}${oneOf([String(wanted), `${wanted}e0`])}`,
        compared,
        `type == "number" and . ${sign} ${wanted}`,
      );
    }
    if (typeof scalar === 'number' && random(3) === 0) {
      const isMatch = (found: unknown): boolean => found === scalar || found === `${scalar}e0`;
      return make(`:${scalar}e0`, isMatch, `. == ${scalar} or . == "${scalar}e0"`);
    }
    const { written, wanted, isGlob } = pattern(String(scalar));
    const isNumeric = written === wanted && isNumber(wanted);
    const isMatch = (found: unknown): boolean =>
      isScalar(found) && (matchesText(String(found), wanted, isGlob) || (isNumeric && found === Number(wanted)));
    const test = isGlob ? `test(${JSON.stringify(`\\A${globPattern(wanted)}\\z`)})` : `. == ${JSON.stringify(wanted)}`;
    return make(
      `:${written}`,
      isMatch,
      `type != "object" and type != "array" and (if type == "string" then . else tojson end | ${test})`,
    );
  };

  const any = (event: PlainEvent): GeneratedFilter => {
    const kind = random(16);
    if (kind === 0) return column('type', event.type, one => one.type);
    if (kind === 1) return column('platform', event.platform, one => one.platform, true);
    if (kind === 2) return column('method', event.method, one => one.method, true);
    if (kind === 3) return column('path', event.path, one => one.path);
    if (kind === 4) return number('size', event.body.length, one => new TextEncoder().encode(one.body).length);
    if (kind === 5) return number('attempt', event.attempt, one => one.attempt);
    if (kind === 6) {
      const state = oneOf(['pinned', 'replayed', 'edited', 'refused', 'redacted'] as const);
      const facts = {
        pinned: 'isPinned',
        replayed: 'isReplayed',
        edited: 'isEdited',
        refused: 'isRefused',
        redacted: 'isRedacted',
      } as const;
      return term(`is:${state}`, one => one[facts[state]]);
    }
    if (kind === 7) {
      const { written, wanted, isGlob } = pattern(oneOf(event.tags) ?? 'x');
      return term(`tag:${written}`, one => one.tags.some(tag => matchesText(tag, wanted, isGlob)));
    }
    if (kind === 8) return term(`verdict:${event.verdict}`, one => one.verdict === event.verdict);
    if (kind === 9) {
      const [sign, hours] = [oneOf(['>', '>=', '<', '<=']), random(50)];
      return term(`received${sign}${hours}h`, (one, now) => ordered(sign, one.receivedAt - (now - hours * 3_600_000)));
    }
    if (kind === 10) return text(event);
    return kind === 11 ? pair('query', event) : kind === 12 ? pair('header', event) : body(event);
  };

  return { any, body };
}

const term = (text: string, matches: Meaning): GeneratedFilter => ({ text, matches, jq: undefined });
