/*
 * Sample deliveries: what a platform would send, without the signature. A platform without a documented sample gets one that is
 * built from its rules for detection, event type and delivery id. Each sample has new ids and times, so two samples are two
 * deliveries.
 */
import type { RandomBytes } from '../../core/ids/ids.ts';
import type { BodyShape, DeliveryIdRule, DetectionRule, EventTypeSource, Platform } from './platform.ts';
import type { SignatureScheme } from './signature-scheme.ts';
import { isSymmetric } from './test-secret.ts';

export type SampleRequest = {
  method: string;
  /** As in a delivery: the path after the endpoint's URL, with its leading '/', or ''. */
  path: string;
  /** Without '?'; null without a query. */
  query: string | null;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
};

export type Sample = {
  /** The name in the API, usually the event type. */
  name: string;
  /** The title in the dashboard. */
  title: string;
  build: (fresh: Fresh) => SampleRequest;
};

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** What is new in each sample: times, which can be shifted (`iso` by seconds), and random ids, most of them of a given length. */
export type Fresh = ReturnType<typeof createFresh>;

export function createFresh(now: number, random: RandomBytes) {
  const from = (alphabet: string, length: number): string =>
    [...random(length)].map(byte => alphabet[byte % alphabet.length]).join('');
  const hex = (length: number): string => from('0123456789abcdef', length);
  /** Does not begin with a zero. */
  const digits = (length: number): string => from('123456789', 1) + from('0123456789', length - 1);
  return {
    /** Epoch ms. */
    now: (shift = 0) => now + shift,
    /** Epoch s. */
    seconds: (shift = 0) => Math.floor(now / 1000) + shift,
    /** Epoch s with milliseconds. */
    preciseSeconds: () => now / 1000,
    /** RFC 3339 with milliseconds. */
    iso: (shiftSeconds = 0) => new Date(now + shiftSeconds * 1000).toISOString(),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    hex,
    /** Letters and digits. */
    text: (length: number) => from(letters, length),
    digits,
    number: (length: number) => Number(digits(length)),
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

/** A sample from the platform's rules; undefined if no rule has enough information. */
export function genericSample(platform: Platform): Sample | undefined {
  const rule = platform.detect.find(one => isConstructible(one) && !asksForUnsent(platform, one));
  if (rule === undefined) return undefined;
  return {
    name: 'test',
    title: 'Test event',
    build: fresh => buildFrom(platform, rule, fresh),
  };
}

/** Patterns do not give a text, and an exact number of keys leaves no place for an event type and an id. */
const isConstructible = ({ headerValues, query, json, form, keyCount, bodyText, when }: DetectionRule): boolean =>
  [headerValues, query, keyCount, bodyText, when].every(condition => condition === undefined) &&
  Object.values({ ...json, ...form }).every(test => !(test instanceof RegExp));

/** Whether the rule requires a header that the sample will not have. */
function asksForUnsent(platform: Platform, { allHeaders = [], anyHeader }: DetectionRule): boolean {
  const unsent = unsentHeaders(platform);
  return allHeaders.some(name => unsent.has(name)) || (anyHeader?.every(name => unsent.has(name)) ?? false);
}

/** The headers of handshakes, and of the signatures that the sample will not get, because it is signed by only one scheme. */
function unsentHeaders({ signatures, handshakes = [] }: Platform): Set<string> {
  const signing = signatures.find(scheme => isSymmetric(scheme.keyFormat));
  const others = new Set(signatures.filter(scheme => scheme !== signing).flatMap(headersOf));
  for (const name of signing === undefined ? [] : headersOf(signing)) others.delete(name);
  for (const { when } of handshakes) if ('header' in when) others.add(when.header);
  return others;
}

function buildFrom(platform: Platform, rule: DetectionRule, fresh: Fresh): SampleRequest {
  const parts: Parts = { headers: {}, fields: new Map() };
  for (const [path, test] of Object.entries({ ...rule.json, ...rule.form })) parts.fields.set(path, exampleOf(test));
  for (const name of ownHeaders(platform, rule)) parts.headers[name] = 'test';
  addEventType(platform, parts);
  addDeliveryId(platform, parts, fresh);
  const headers = { 'User-Agent': rule.userAgent ?? platform.title, ...parts.headers };
  const unique = { sent_at: fresh.iso(), test_id: fresh.uuid() };
  const isForm = rule.form !== undefined || isFormType(platform.eventType[0]);
  if (isForm) return formRequest(headers, { ...Object.fromEntries(parts.fields), ...unique });
  return { ...jsonRequest(headers, withPaths(parts.fields, unique)), method: rule.methods?.[0] ?? 'POST' };
}

const exampleOf = (test: BodyShape[string]): string => {
  if (typeof test === 'string') return test;
  return Array.isArray(test) ? String(test[0]) : 'test';
};

/** The headers of the rule without signature headers, which signing adds. */
function ownHeaders(platform: Platform, { allHeaders = [], anyHeader = [] }: DetectionRule): string[] {
  const others = new Set([...unsentHeaders(platform), ...platform.signatures.flatMap(headersOf)]);
  const [first] = anyHeader.filter(name => !others.has(name));
  return [...allHeaders.filter(name => !others.has(name)), ...(first === undefined ? [] : [first])];
}

const headersOf = ({ header, alternativeHeaders = [], timestamp }: SignatureScheme): string[] => [
  ...(header === null ? [] : [header]),
  ...alternativeHeaders.map(other => other.header),
  ...(timestamp?.from.startsWith('header:') ? [timestamp.from.slice('header:'.length)] : []),
];

/** Header names in lower case; fields by path. */
type Parts = { headers: Record<string, string>; fields: Map<string, string> };

const isFormType = (source: EventTypeSource | undefined): boolean =>
  typeof source === 'string' && source.startsWith('form:');

function addEventType({ eventType: [source], detect }: Platform, { headers, fields }: Parts): void {
  if (typeof source !== 'string') return;
  const name = source.slice(source.indexOf(':') + 1);
  // A text that detection requires already is an event type.
  const isFixed = detect.some(rule => (rule.json?.[name] ?? rule.form?.[name] ?? true) !== true);
  if (source.startsWith('header:')) headers[name] = eventType;
  else if (/^(json|form):/.test(source) && !isFixed) fields.set(name, eventType);
}

function addDeliveryId({ deliveryId: rules = [] }: Platform, { headers, fields }: Parts, fresh: Fresh): void {
  // If there are several rules, prefer the rule whose header detection requires.
  const rule = rules.find(one => 'header' in one && namesOf(one).some(name => name in headers)) ?? rules[0];
  if (rule === undefined) return;
  for (const name of namesOf(rule)) {
    if ('header' in rule) headers[name] = fresh.uuid();
    else fields.set(name, fresh.uuid());
  }
}

function namesOf(rule: DeliveryIdRule): string[] {
  if ('header' in rule) return [rule.header].flat().map(name => name.toLowerCase());
  return typeof rule.body === 'string' || Array.isArray(rule.body) ? [rule.body].flat() : [];
}

/** Builds the JSON that has these texts at these paths. */
function withPaths(fields: ReadonlyMap<string, string>, rest: Fields): unknown {
  const isList = [...fields.keys()].some(path => /^\d+(\.|$)/.test(path));
  if (!isList) return setAll({ ...rest }, fields);
  const items: object[] = [];
  setAll(items, fields);
  return items.map(item => ({ ...rest, ...item }));
}

function setAll<T extends object>(root: T, fields: ReadonlyMap<string, string>): T {
  for (const [path, value] of fields) setAt(root as Record<string, unknown>, path.split('.'), value);
  return root;
}

function setAt(here: Record<string, unknown>, [step = '', ...steps]: readonly string[], value: string): void {
  const [next] = steps;
  if (next === undefined) {
    here[step] ??= value;
    return;
  }
  if (typeof here[step] !== 'object') here[step] = /^\d+$/.test(next) ? [] : {};
  setAt(here[step] as Record<string, unknown>, steps, value);
}
