/*
 * Events that are hard for code which reads bytes instead of parsing them: keys and values with escapes, numbers in all notations,
 * repeated and nested keys, strings that look like members, forms that begin like JSON, and bodies that are broken. And filters
 * about them, with their meaning in the simplest JavaScript.
 */
import { createRandom } from '../../../scripts/lib/payloads.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { inQuotes, isKey, isNumber, matchesText, ordered, type Step, valuesAt } from './meaning.ts';

type Answer = boolean | undefined;

/** `fields`: undefined for a multipart body, which has no naive reading here. */
export type OddEvent = {
  headers: HeaderPair[];
  query: string | null;
  body: Buffer;
  fields: { json: unknown } | { form: URLSearchParams } | 'none' | undefined;
};
/** `matches`: undefined if there is no naive reading of the event. */
export type OddFilter = { text: string; matches: (event: OddEvent) => Answer };

/** A number as it is written. */
type Written = { digits: string };
type Kind = 'text' | 'number' | 'form';
type Match = (found: string, kind: Kind) => boolean;

const keys = [
  'amount',
  'amount',
  'amount',
  'amount',
  'items',
  'a',
  'a/b',
  'é',
  'x y',
  '漢',
  '0',
  '1',
  'say "x"',
  'tab\t',
  'amount":5',
  '',
];
const numbers =
  '5 5.0 5e0 0.5E+1 50e-1 -5 1234567 1234567.0 12.34567E5 1e400 -1e400 1e-400 0 -0 0.0 9007199254740993'.split(' ');
const texts = [
  '5',
  'paid',
  '"amount":5',
  '{"amount":5}',
  'a/b',
  'é',
  '\\',
  '',
  'amount',
  '1234567',
  'a&amount=5',
  '\n--cut',
];
const values = [...numbers, ...texts, 'true', 'null', '9007199254740992', '1e401', 'pai*', '*'];
const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/X-WWW-form-URLencoded; charset=utf-8',
  'Multipart/form-data; boundary=cut',
];

/** @param seed the same events and filters for the same seed */
export function createOddEvents(seed: number) {
  const random = createRandom(seed);
  const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  /** Whether the strings of the next body have no needless escapes. */
  let isPlain = true;
  const space = (): string => oneOf(['', '', '', ' ', '\n', '\r\n\t']);

  const escaped = (character: string): string => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return character === '/' && random(2) ? '\\/' : `\\u${random(2) ? code : code.toUpperCase()}`;
  };
  const string = (text: string): string => {
    if (isPlain || random(2) > 0) return JSON.stringify(text);
    return `"${[...text].map(one => (random(2) || /["\\\n\t]/.test(one) ? escaped(one) : one)).join('')}"`;
  };
  const list = (open: string, close: string, item: () => string): string =>
    `${open}${space()}${Array.from({ length: random(4) }, () => item() + space()).join(`,${space()}`)}${close}`;
  const value = (depth: number): string => {
    const kind = random(depth > 0 ? 8 : 4);
    if (kind < 2) return oneOf(numbers);
    if (kind === 2) return string(oneOf(texts));
    if (kind === 3) return oneOf(['true', 'false', 'null']);
    if (kind === 4) return list('[', ']', () => value(depth - 1));
    return list('{', '}', () => `${string(oneOf(keys))}${space()}:${space()}${value(depth - 1)}`);
  };
  const json = (): string => space() + list('{', '}', () => `${string(oneOf(keys))}:${value(3)}`) + space();
  const broken = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    const kind = random(3);
    if (kind === 0) return bytes.subarray(0, random(bytes.length + 1));
    bytes[random(bytes.length)] = kind === 1 ? 0xff : oneOf([...Buffer.from('{}[]":,\\5')]);
    return bytes;
  };
  const form = (): string =>
    Array.from({ length: 1 + random(3) }, () => {
      const pair = [oneOf([...keys, '[].amount', 'items[]', 'items.amount']), oneOf(values)];
      return pair.map(one => (random(2) ? encodeURIComponent(one) : one.replace(/[&=+%]/g, ''))).join('=');
    }).join('&');
  const part = (): string =>
    `--cut\r\nContent-Disposition: form-data; name=${JSON.stringify(oneOf(['amount', 'a']))}\r\n\r\n${oneOf(values)}\r\n`;

  const bodyOf = (type: string): Buffer => {
    const kind = random(10);
    if (kind < 5) return Buffer.from(oneOf(['', '', '\ufeff']) + json());
    if (kind === 5) return Buffer.from(list('[', ']', () => value(3)));
    if (kind === 6) return broken(json());
    if (kind === 7) return Buffer.from(oneOf([json(), '']) + oneOf(['&', '', '\n']) + form());
    if (/multipart/i.test(type)) return Buffer.from(`${oneOf(['', '{\r\n', '{"a":1}\n'])}${part()}${part()}--cut--`);
    return Buffer.from(form());
  };

  const event = (): OddEvent => {
    const type = oneOf(types);
    isPlain = random(2) === 0;
    const body = bodyOf(type);
    const encoding: HeaderPair[] = random(8) ? [] : [['Content-Encoding', 'gzip']];
    const headers: HeaderPair[] = [[oneOf(['Content-Type', 'CONTENT-type']), type], ...encoding];
    if (random(2))
      headers.push([oneOf(['X-Shop', 'x-shop', 'X-SHOP', 'Ünit']), oneOf(['acme', 'a"b', 'é', '5', '5.0'])]);
    return { headers, query: oneOf([null, 'amount=5', 'page=2']), body, fields: fieldsOf(type, encoding, body) };
  };

  const steps = (): Step[] =>
    Array.from({ length: oneOf([1, 1, 1, 2, 3]) }, () => (random(5) ? { key: oneOf(keys) } : 'item'));
  const bodyTerm = (): OddFilter => {
    const path = steps();
    const written = path.map((step, i) => {
      if (step === 'item') return '[]';
      return `${i === 0 ? '' : ''}.${isKey(step.key) ? step.key : inQuotes(step.key)}`;
    });
    const field = `body${written.join('')}`;
    if (random(5) === 0) return { text: `has:${field}`, matches: event => meets(event, path) };
    const wanted = oneOf(values);
    if (random(2) && isNumber(wanted)) {
      const operator = oneOf(['>', '>=', '<', '<=']);
      const isMatch: Match = (found, kind) =>
        kind !== 'text' && isNumber(found) && ordered(operator, compare(found, wanted));
      return { text: `${field}${operator}${wanted}`, matches: event => meets(event, path, isMatch) };
    }
    const isPlain = /^[\w.*+-]+$/.test(wanted) && random(3) > 0;
    const isMatch: Match = (found, kind) =>
      matchesText(found, wanted, isPlain && wanted.includes('*')) ||
      (isPlain && kind === 'number' && isNumber(wanted) && isNumber(found) && compare(found, wanted) === 0);
    return { text: `${field}:${isPlain ? wanted : inQuotes(wanted)}`, matches: event => meets(event, path, isMatch) };
  };
  const otherTerm = (): OddFilter => {
    const [name, wanted] = [oneOf(['x-shop', 'X-Shop', 'content-type', 'ünit']), oneOf(['acme', 'a"b', 'é', '5'])];
    const found = ({ headers }: OddEvent): string[] =>
      headers.flatMap(([one, text]) => (one.toLowerCase() === name.toLowerCase() ? [text] : []));
    const field = `header.${isKey(name) ? name : inQuotes(name)}`;
    return oneOf<OddFilter>([
      { text: `has:${field}`, matches: event => found(event).length > 0 },
      { text: `${field}:${inQuotes(wanted)}`, matches: event => found(event).includes(wanted) },
      { text: `${field}:a*`, matches: event => found(event).some(text => text.startsWith('a')) },
      { text: `${field}>4`, matches: event => found(event).some(text => isNumber(text) && Number(text) > 4) },
      { text: 'query.amount:5', matches: ({ query }) => query === 'amount=5' },
    ]);
  };
  const term = (): OddFilter => (random(6) ? bodyTerm() : otherTerm());
  const combined = (): OddFilter => {
    const [a, b, c] = [term(), term(), term()];
    return oneOf<OddFilter>([
      { text: `${a.text} ${b.text}`, matches: event => all(a.matches(event), b.matches(event)) },
      { text: `${a.text} OR ${b.text}`, matches: event => any(a.matches(event), b.matches(event)) },
      { text: `NOT ${a.text}`, matches: event => not(a.matches(event)) },
      {
        text: `${a.text} (${b.text} OR NOT ${c.text})`,
        matches: event => all(a.matches(event), any(b.matches(event), not(c.matches(event)))),
      },
    ]);
  };
  return { event, filter: (): OddFilter => (random(3) ? term() : combined()) };
}

const all = (a: Answer, b: Answer): Answer => (a === undefined || b === undefined ? undefined : a && b);
const any = (a: Answer, b: Answer): Answer => (a === undefined || b === undefined ? undefined : a || b);
const not = (a: Answer): Answer => (a === undefined ? undefined : !a);

function fieldsOf(type: string, encoding: readonly HeaderPair[], body: Buffer): OddEvent['fields'] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const json = parseWithNumbers(text);
    if (/^\s*[[{]/.test(text)) return { json };
  } catch {
    // It is not JSON.
  }
  if (encoding.length > 0) return 'none';
  if (/urlencoded/i.test(type)) return { form: new URLSearchParams(body.toString()) };
  return /multipart/i.test(type) ? undefined : 'none';
}

/** Not in TypeScript's library yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

const parseWithNumbers = (text: string): unknown =>
  (JSON.parse as ParseWithSource)(text, (_, value, { source = '' }) =>
    typeof value === 'number' ? ({ digits: source } satisfies Written) : value,
  );

/** Whether a field meets a test; without one, whether it is there. */
function meets({ fields }: OddEvent, path: readonly Step[], isMatch?: Match): Answer {
  if (fields === undefined) return undefined;
  if (fields === 'none') return false;
  if ('json' in fields)
    return valuesAt(fields.json, path).some(found => {
      if (!isMatch) return true;
      if (typeof found !== 'object' || found === null) return isMatch(String(found), 'text');
      return 'digits' in found && isMatch((found as Written).digits, 'number');
    });
  const name = path.map((step, i) => (step === 'item' ? '[]' : `${i === 0 ? '' : '.'}${step.key}`)).join('');
  return [name, name.replace(/\[\]$/, '')].some(one =>
    fields.form.getAll(one).some(found => isMatch?.(found, 'form') ?? true),
  );
}

/** Below 0 if the first number is less, 0 if they are equal. */
function compare(one: string, other: string): number {
  const [a, b] = [fractionOf(one), fractionOf(other)];
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : Number(difference > 0n);
}

function fractionOf(text: string): { over: bigint; under: bigint } {
  const [, sign, whole = '', part = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const power = Number(exponent) - part.length;
  const digits = BigInt(`${whole}${part}`) * (sign === '-' ? -1n : 1n);
  return power < 0
    ? { over: digits, under: 10n ** BigInt(-power) }
    : { over: digits * 10n ** BigInt(power), under: 1n };
}
