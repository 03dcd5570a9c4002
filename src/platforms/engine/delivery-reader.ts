/*
 * Lazy access to one delivery: headers, query, text, JSON, form fields. Each is parsed at most once, on first use; a part that
 * cannot be parsed counts as missing. Never throws. Bodies over 1 MiB, or nested too deeply, are not parsed.
 */
import { asBuffer } from '../../core/encoding/buffer.ts';
import { lowerName } from '../../core/headers.ts';
import { findJsonValue, type JsonScan, scanJson } from '../../core/json/scan.ts';
import { tryJson } from '../../core/json/try-json.ts';
import { isJson } from '../../core/json/validator.ts';
import type { RawDelivery } from './model.ts';

/** Larger deliveries are detected only by their headers. */
export const maxParsedBytes = 1024 * 1024;
const maxDepth = 256;
const maxMembers = 20_000;
const maxFields = 1000;
const maxPartHeadLength = 4096;

export type Fields = ReadonlyMap<string, readonly string[]>;

export type DeliveryReader = {
  readonly delivery: RawDelivery;
  /** Value by lower-case name; repeats joined with ', '. */
  readonly headers: ReadonlyMap<string, string>;
  readonly header: (name: string) => string | undefined;
  /** Decoded query parameters; names in lower case. */
  readonly query: () => ReadonlyMap<string, string>;
  readonly text: () => string;
  readonly jsonScan: () => JsonScan | null;
  /** The parsed JSON, undefined if the body is not JSON. Newline-delimited JSON is read as a list with its first line. */
  readonly json: () => unknown;
  /** The text or number at a path of the JSON, if the body is JSON. An unparsed body is scanned, not parsed. */
  readonly jsonValue: (path: string) => unknown;
  /** Fields of a urlencoded or multipart body; null if it is neither, or has more than a thousand fields. */
  readonly form: () => Fields | null;
};

const empty: ReadonlyMap<string, string> = new Map();

export function createDeliveryReader(delivery: RawDelivery): DeliveryReader {
  const headers = new Map<string, string>();
  for (const [rawName, value] of delivery.rawHeaders) {
    const name = lowerName(rawName);
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  let query: ReadonlyMap<string, string> | undefined;
  let text: string | undefined;
  let scan: JsonScan | null | undefined;
  let form: Fields | null | undefined;
  let json: { value: unknown } | undefined;
  let isValid: boolean | undefined;

  const reader: DeliveryReader = {
    delivery,
    headers,
    header: name => headers.get(name),
    query: () => {
      query ??= parseQuery(delivery.query);
      return query;
    },
    text: () => {
      text ??= asBuffer(delivery.body).toString('utf8');
      return text;
    },
    jsonScan: () => {
      if (scan === undefined) scan = delivery.body.length > maxParsedBytes ? null : scanJson(delivery.body);
      return scan;
    },
    json: () => {
      json ??= { value: parseJson(reader) };
      return json.value;
    },
    jsonValue: path => {
      if (json !== undefined) return valueAt(json.value, path);
      if (delivery.body.length > maxParsedBytes) return undefined;
      const found = findJsonValue(delivery.body, path.split('.'));
      if (found === undefined) return undefined;
      // The scan stops at the value, so the rest of the body may not be JSON.
      isValid ??= isJson(delivery.body);
      return isValid ? found : undefined;
    },
    form: () => {
      if (form === undefined) form = parseForm(reader);
      return form;
    },
  };
  return reader;
}

/** Follows a path of keys and list indexes; undefined if the path does not exist. It reads only own properties. */
export function valueAt(value: unknown, path: string): unknown {
  let here = value;
  for (const step of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string, unknown>)[step];
  }
  return here;
}

/** The first value of a form field. */
export const firstFormValue = (form: Fields | null, name: string): string | undefined => form?.get(name)?.[0];

/** Parses JSON inside a field; undefined if it is not JSON or is too large. */
export function parseNestedJson(text: string | undefined): unknown {
  if (text === undefined || text.length > maxParsedBytes) return undefined;
  const bytes = Buffer.from(text, 'utf8');
  const scan = scanJson(bytes);
  if (scan === null || !isSafeToParse(scan) || !scan.closed) return undefined;
  return tryJson(text);
}

/** Depth and many keys make parsing slow, even in a small body. */
const isSafeToParse = ({ depth, members }: JsonScan): boolean => depth <= maxDepth && members <= maxMembers;

function parseJson(reader: DeliveryReader): unknown {
  const scan = reader.jsonScan();
  if (scan === null || !isSafeToParse(scan) || !scan.closed) return undefined;
  const text = reader.text().replace(/^\ufeff/, '');
  const whole = tryJson(text);
  if (whole !== undefined) return whole;
  const lineEnd = text.indexOf('\n');
  if (lineEnd <= 0 || !text.startsWith('{')) return undefined;
  const first = tryJson(text.slice(0, lineEnd));
  return typeof first === 'object' && first !== null ? [first] : undefined;
}

function parseQuery(query: string | null): ReadonlyMap<string, string> {
  if (query === null || query === '') return empty;
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, value);
  }
  return found;
}

function parseForm(reader: DeliveryReader): Fields | null {
  const { body } = reader.delivery;
  const type = reader.header('content-type') ?? '';
  if (body.length === 0) return null;
  if (/^application\/x-www-form-urlencoded/i.test(type)) return parseUrlencoded(asBuffer(body));
  if (/^multipart\/form-data/i.test(type)) return parseMultipart(asBuffer(body), type);
  return null;
}

function parseUrlencoded(body: Buffer): Fields | null {
  let count = 0;
  for (let next = body.indexOf('&'); next >= 0; next = body.indexOf('&', next + 1)) {
    count += 1;
    if (count >= maxFields) return null;
  }
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) add(fields, name, value);
  return fields;
}

/** Text fields only: parts with a file name are skipped. */
function parseMultipart(body: Buffer, type: string): Fields | null {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(type);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return null;
  const delimiter = Buffer.from(`--${mark}`, 'latin1');
  const fields = new Map<string, string[]>();
  let from = body.indexOf(delimiter);
  for (let count = 0; from >= 0; count += 1) {
    if (count >= maxFields) return null;
    const next = body.indexOf(delimiter, from + delimiter.length);
    if (next < 0) break;
    // Searches only where a head may end. Otherwise, a body without the end of a head would be searched to its end for every
    // part.
    const headLength = body.subarray(from, Math.min(next, from + maxPartHeadLength)).indexOf('\r\n\r\n');
    if (headLength >= 0) {
      const headEnd = from + headLength;
      const head = body.toString('latin1', from + delimiter.length, headEnd);
      const name = /[;\s]name="([^"]{0,200})"/i.exec(head)?.[1];
      if (name !== undefined && !/filename=/i.test(head)) {
        add(fields, name, body.toString('utf8', headEnd + 4, Math.max(headEnd + 4, next - 2)));
      }
    }
    from = next;
  }
  return fields;
}

function add(fields: Map<string, string[]>, name: string, value: string): void {
  const values = fields.get(name);
  if (values === undefined) fields.set(name, [value]);
  else values.push(value);
}
