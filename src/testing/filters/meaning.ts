/*
 * The meaning of filters, in the simplest JavaScript (JSON.parse, recursion, regular expressions) and as programs for jq. It
 * shares no code with the filter's parser and evaluation.
 */

/** An event in the simplest form. */
export type PlainEvent = {
  type: string | null;
  platform: string | null;
  method: string;
  path: string;
  receivedAt: number;
  sourceIp: string;
  verdict: 'valid' | 'invalid' | 'unchecked' | 'none';
  attempt: number;
  answered: number | null;
  tags: string[];
  isPinned: boolean;
  isReplayed: boolean;
  isEdited: boolean;
  isRefused: boolean;
  isRedacted: boolean;
  headers: [string, string][];
  params: [string, string][];
  /** UTF-8. */
  body: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
  /** The fields of a form; undefined for other bodies. */
  form: [string, string][] | undefined;
};

export type Meaning = (event: PlainEvent, now: number) => boolean;
export type GeneratedFilter = { text: string; matches: Meaning; jq: string | undefined };

export type Step = { key: string } | 'item';
export type Scalar = string | number | boolean | null;

export const ordered = (operator: string, difference: number): boolean => {
  if (operator === ':') return difference === 0;
  if (operator === '>') return difference > 0;
  if (operator === '>=') return difference >= 0;
  return operator === '<' ? difference < 0 : difference <= 0;
};

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

export const isNumber = (value: unknown): boolean =>
  typeof value === 'string' && /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);

/** Whether the text can be written as a value without quotes. */
export const isPlain = (text: string): boolean => /^[^\s"()<>][^\s"()]*$/u.test(text) && !/^\/.+\/$/.test(text);

export const isKey = (key: string): boolean => /^[\w-]+$/.test(key);

export const inQuotes = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export const globPattern = (glob: string): string =>
  glob
    .split('*')
    .map(piece => piece.replaceAll(/[\\^$.*+?()[\]{}|/#&~-]/g, '\\$&'))
    .join('(?:.|\\n)*');

export function matchesText(text: string, wanted: string, isGlob: boolean, ignoresCase = false): boolean {
  const [one, other] = ignoresCase ? [text.toLowerCase(), wanted.toLowerCase()] : [text, wanted];
  if (!isGlob) return one === other;
  const pattern = other.split('*').map(piece => piece.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${pattern.join('[^]*')}$`).test(one);
}

export function valuesAt(value: unknown, [step, ...rest]: readonly Step[]): unknown[] {
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (step === 'item') return Array.isArray(value) ? value.flatMap(item => valuesAt(item, rest)) : [];
  if (!Object.hasOwn(value, step.key) || (Array.isArray(value) && step.key === 'length')) return [];
  return valuesAt((value as Record<string, unknown>)[step.key], rest);
}

export function jqPath(path: readonly Step[]): string {
  const steps = path.map(step => {
    if (step === 'item') return 'if type == "array" then .[] else empty end';
    const key = JSON.stringify(step.key);
    const index = /^(?:0|[1-9]\d*)$/.test(step.key)
      ? `elif type == "array" and length > ${step.key} then .[${step.key}]`
      : '';
    return `if type == "object" then (if has(${key}) then .[${key}] else empty end) ${index} else empty end`;
  });
  return ['.', ...steps.map(step => `(${step})`)].join(' | ');
}

/** JSON text with the escapes of its strings resolved, for texts that have some. */
export const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, match => {
    try {
      return JSON.parse(`"${match}"`) as string;
    } catch {
      return match;
    }
  });
