/*
 * The log: exactly one line per call. Captured text is hostile, so control characters, line and paragraph separators and bidi
 * controls are escaped, long values are cut, fields named like secrets are redacted, and no field makes a call throw.
 */

import type { Clock } from './core/clock.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;
type Write = (message: string, fields?: LogFields) => void;

export type Logger = {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A logger that adds `fields` to every line; a call's own fields win. */
  readonly child: (fields: LogFields) => Logger;
};

export type LoggerOptions = {
  /** Calls below it are dropped. */
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  /** Receives each line with its newline. */
  readonly write: (line: string) => void;
  readonly clock: Pick<Clock, 'now'>;
};

const severity: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

const maxTextLength = 256;
const maxStackLength = 4096;
const maxDepth = 5;
/** The most values per line, nested ones included. It bounds the work of a call. */
const maxValues = 200;

const secretName = /authorization|cookie|passw|secret|token|key|credential/i;
/** `keyId`, `key_last4` and `tokenType` describe a secret but do not contain it. */
const secretMetadataName = /(ids?|last4|counts?|names?|types?)$/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const unsafeCharacters = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Escapes, as `\uXXXX`, every character that could move a terminal's cursor, break the line or reorder it. */
export const escapeUnsafe = (text: string): string =>
  text.replace(unsafeCharacters, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** At most `max` UTF-16 units, never half a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Drizzle's message and stack contain SQL parameters, such as bodies and hashes: only the cause may be logged. */
const isQueryError = (error: Error): boolean => error.name === 'DrizzleQueryError' || 'params' in error;

/** Turns fields into plain JSON values, bounded in depth, number and length. */
function createPlain(withStack: boolean) {
  let budget = maxValues;

  const plainError = (error: Error, depth: number): unknown => {
    const { cause } = error;
    if (isQueryError(error)) return { name: 'DrizzleQueryError', ...(cause ? { cause: plain(cause, depth + 1) } : {}) };
    const code = 'code' in error ? error.code : undefined;
    const frames = withStack ? error.stack?.split('\n').filter(line => /^\s+at /.test(line)) : undefined;
    return {
      name: cut(String(error.name), maxTextLength),
      message: cut(String(error.message), maxTextLength),
      ...(typeof code === 'string' || typeof code === 'number' ? { code: plain(code, depth) } : {}),
      ...(frames ? { stack: cut(frames.map(frame => frame.trim()).join(' | '), maxStackLength) } : {}),
      ...(cause !== undefined ? { cause: plain(cause, depth + 1) } : {}),
    };
  };

  const plainObject = (object: object, depth: number): unknown => {
    const result: Record<string, unknown> = Object.create(null);
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      if (budget <= 0) break;
      result[cut(key, maxTextLength)] =
        secretName.test(key) && !secretMetadataName.test(key) ? '[redacted]' : plain(value, depth + 1);
    }
    return result;
  };

  const convert = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return cut(value, maxTextLength);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'object') return cut(String(value), maxTextLength);
    if (depth >= maxDepth || budget <= 0) return '[more]';
    if (value instanceof Error) return plainError(value, depth);
    if (value instanceof Date) return value.toISOString();
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return value.slice(0, Math.max(0, budget)).map(item => plain(item, depth + 1));
    return plainObject(value, depth);
  };

  const plain = (value: unknown, depth: number): unknown => {
    budget--;
    try {
      return convert(value, depth);
    } catch {
      // A getter, proxy or toString of the value threw.
      return '[unreadable]';
    }
  };

  return (fields: LogFields): [string, unknown][] => {
    const result = plain(fields, 0);
    return typeof result === 'object' && result !== null ? Object.entries(result) : [['fields', result]];
  };
}

const reservedFields = ['time', 'level', 'message'];

function formatJson(time: string, level: LogLevel, message: string, fields: [string, unknown][]): string {
  const named = fields.map(([key, value]) => [reservedFields.includes(key) ? `${key}_` : key, value]);
  // JSON leaves unsafe characters only inside strings, where \uXXXX means the same.
  return escapeUnsafe(JSON.stringify({ time, level, message, ...Object.fromEntries(named) }));
}

function formatPretty(time: string, level: LogLevel, message: string, fields: [string, unknown][]): string {
  const show = (value: unknown): string =>
    typeof value === 'string' && /^[^\s"\\=]+$/.test(value) ? value : JSON.stringify(value);
  const pairs = fields.map(([key, value]) => ` ${key}=${show(value)}`);
  return escapeUnsafe(`${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join('')}`);
}

/** Errors become name, message, code and causes; level `debug` adds the stack. Never throws, even if `write` does. */
export function createLogger(options: LoggerOptions, bound: LogFields = {}): Logger {
  const format = options.format === 'json' ? formatJson : formatPretty;

  const at =
    (level: LogLevel): Write =>
    (message, fields = {}) => {
      if (severity[level] < severity[options.level]) return;
      try {
        const plain = createPlain(options.level === 'debug');
        const pairs = new Map([...plain(bound), ...plain(fields)]);
        const time = new Date(options.clock.now()).toISOString();
        options.write(`${format(time, level, cut(String(message), maxTextLength), [...pairs])}\n`);
      } catch {
        // There is no other place to report it.
      }
    };

  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: fields => createLogger(options, { ...bound, ...fields }),
  };
}
