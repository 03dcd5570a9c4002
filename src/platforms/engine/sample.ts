/*
 * Sample deliveries: what a platform would send, without the signature. A platform that has none of its own gets one that is made
 * from its rules for detection, event type and delivery id. Ids and times are fresh in each, so two samples are two deliveries.
 */
import type { RandomBytes } from '../../core/ids.ts';
import type { BodyShape, DetectionRule, Platform, SignatureScheme } from './platform.ts';

export type SampleRequest = {
  method: string;
  /** As in a delivery: what follows the endpoint's URL, with its leading '/', or ''. */
  path: string;
  /** Without '?'; null for none. */
  query: string | null;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
};

export type Sample = {
  /** In the API: mostly the event type. */
  name: string;
  /** In the dashboard. */
  title: string;
  build: (fresh: Fresh) => SampleRequest;
};

/** The time, and random texts for ids. */
export type Fresh = {
  /** Epoch ms. */
  now: number;
  /** Epoch s. */
  seconds: number;
  /** RFC 3339 with milliseconds, shifted by so many seconds. */
  iso: (shiftSeconds?: number) => string;
  uuid: () => string;
  hex: (length: number) => string;
  /** Letters and digits. */
  text: (length: number) => string;
  /** Does not begin with a zero. */
  digits: (length: number) => string;
  number: (length: number) => number;
};

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function createFresh(now: number, random: RandomBytes): Fresh {
  const from = (alphabet: string, length: number): string =>
    [...random(length)].map(byte => alphabet[byte % alphabet.length]).join('');
  const hex = (length: number): string => from('0123456789abcdef', length);
  const digits = (length: number): string => from('123456789', 1) + from('0123456789', length - 1);
  return {
    now,
    seconds: Math.floor(now / 1000),
    iso: (shiftSeconds = 0) => new Date(now + shiftSeconds * 1000).toISOString(),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    hex,
    text: length => from(letters, length),
    digits,
    number: length => Number(digits(length)),
  };
}

type Fields = Readonly<Record<string, string>>;

/** A POST of JSON. */
export const jsonRequest = (headers: Fields, body: unknown): SampleRequest => ({
  method: 'POST',
  path: '',
  query: null,
  headers: Object.entries({ 'Content-Type': 'application/json', ...headers }),
  body: JSON.stringify(body),
});

/** A POST of form fields. */
export const formRequest = (headers: Fields, fields: Fields): SampleRequest => ({
  ...jsonRequest({ 'Content-Type': 'application/x-www-form-urlencoded', ...headers }, null),
  body: new URLSearchParams(fields).toString(),
});

const eventType = 'test.event';

/** A sample from the platform's rules; undefined when no rule says enough to make one. */
export function genericSample(platform: Platform): Sample | undefined {
  const rule = platform.detect.find(isConstructible);
  if (rule === undefined) return undefined;
  return {
    name: 'test',
    title: 'Test event',
    build: fresh => buildFrom(platform, rule, fresh),
  };
}

const isExample = (test: BodyShape[string]): boolean => !(test instanceof RegExp);

/** Whether the rule names its texts. Patterns, and the exact number of keys, leave no place for an event type and an id. */
const isConstructible = ({ headerValues, query, json, form, keyCount, bodyText, when }: DetectionRule): boolean =>
  headerValues === undefined &&
  query === undefined &&
  keyCount === undefined &&
  bodyText === undefined &&
  when === undefined &&
  Object.values({ ...json, ...form }).every(isExample);

function buildFrom(platform: Platform, rule: DetectionRule, fresh: Fresh): SampleRequest {
  const headers = new Map([['User-Agent', `${rule.userAgent ?? platform.title}`]]);
  const fields = new Map<string, string>();
  for (const [path, test] of Object.entries({ ...rule.json, ...rule.form })) fields.set(path, exampleOf(test));
  const signatureHeaders = new Set(platform.signatures.flatMap(headersOf));
  const unsigned = rule.anyHeader?.find(name => !signatureHeaders.has(name));
  for (const name of [...(rule.allHeaders ?? []), ...(unsigned === undefined ? [] : [unsigned])])
    if (!signatureHeaders.has(name)) headers.set(name, 'test');
  addEventType(platform, { headers, fields });
  addDeliveryId(platform, { headers, fields }, fresh);
  const base = Object.fromEntries(headers);
  const unique = { sent_at: fresh.iso(), test_id: fresh.uuid() };
  if (rule.form !== undefined) return formRequest(base, { ...Object.fromEntries(fields), ...unique });
  return { ...jsonRequest(base, withPaths(fields, unique)), method: rule.methods?.[0] ?? 'POST' };
}

const exampleOf = (test: BodyShape[string]): string => {
  if (typeof test === 'string') return test;
  return Array.isArray(test) ? String(test[0]) : 'test';
};

const headersOf = ({ header, alternativeHeaders = [], timestamp }: SignatureScheme): string[] => [
  ...(header === null ? [] : [header]),
  ...alternativeHeaders.map(other => other.header),
  ...(timestamp?.from.startsWith('header:') ? [timestamp.from.slice('header:'.length)] : []),
];

type Parts = { headers: Map<string, string>; fields: Map<string, string> };

function addEventType({ eventType: sources, detect }: Platform, { headers, fields }: Parts): void {
  const [source] = sources;
  if (typeof source !== 'string') return;
  const colon = source.indexOf(':');
  const name = source.slice(colon + 1);
  // A text that the rules of detection fix is a type already.
  const isFixed = detect.some(rule => !isFree(rule.json?.[name] ?? rule.form?.[name]));
  if (source.startsWith('header:')) headers.set(name, eventType);
  else if (/^(json|form):/.test(source) && !isFixed) fields.set(name, eventType);
}

const isFree = (test: BodyShape[string] | undefined): boolean => test === undefined || test === true;

function addDeliveryId({ deliveryId = [] }: Platform, { headers, fields }: Parts, fresh: Fresh): void {
  const [rule] = deliveryId;
  if (rule === undefined) return;
  const names = 'header' in rule ? rule.header : rule.body;
  if (typeof names !== 'string' && !Array.isArray(names)) return;
  for (const name of [names].flat() as string[]) ('header' in rule ? headers : fields).set(name, fresh.uuid());
}

/** Builds the JSON that has these texts at these paths. */
function withPaths(fields: ReadonlyMap<string, string>, rest: Fields): unknown {
  const isList = [...fields.keys()].some(path => /^\d+(\.|$)/.test(path));
  const root: unknown = isList ? [] : {};
  for (const [path, value] of fields) setAt(root, path.split('.'), value);
  return isList
    ? (root as unknown[]).map(item => ({ ...(item as object), ...rest }))
    : { ...(root as object), ...rest };
}

function setAt(container: unknown, [step = '', ...steps]: readonly string[], value: string): void {
  const here = container as Record<string, unknown>;
  const next = steps[0];
  if (next === undefined) {
    here[step] ??= value;
    return;
  }
  if (typeof here[step] !== 'object') here[step] = /^\d+$/.test(next) ? [] : {};
  setAt(here[step], steps, value);
}
