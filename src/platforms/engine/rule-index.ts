/* Finds the few rules that a delivery is compared with, by header name, JSON key and kind of body. */

import { type DeliveryReader, firstFormValue, valueAt } from './delivery-reader.ts';
import type { BodyShape, DetectionRule, Platform } from './platform.ts';

export type Candidate = {
  platform: Platform;
  rule: DetectionRule;
  order: number;
  /** Keys that the outermost JSON object must have: checked before the body is parsed. */
  topKeys: readonly string[];
};

export type RuleIndex = {
  /** By the name of a header in the rule. */
  byHeader: ReadonlyMap<string, readonly Candidate[]>;
  /** By one key of the outermost JSON object. */
  byJsonKey: ReadonlyMap<string, readonly Candidate[]>;
  byForm: readonly Candidate[];
  byText: readonly Candidate[];
  byQuery: readonly Candidate[];
  byUserAgent: readonly Candidate[];
};

/** Puts each rule under its first condition, in the order: header, form, JSON, text, query, User-Agent. */
export function indexRules(rows: readonly Platform[]): RuleIndex {
  const byHeader = new Map<string, Candidate[]>();
  const byJsonKey = new Map<string, Candidate[]>();
  const index = {
    byForm: [] as Candidate[],
    byText: [] as Candidate[],
    byQuery: [] as Candidate[],
    byUserAgent: [] as Candidate[],
  };
  for (const platform of rows) {
    for (const rule of platform.detect) {
      const topKeys = rule.json === undefined ? [] : topKeysOf(rule.json);
      const candidate: Candidate = { platform, rule, order: rule.order, topKeys };
      const names = rule.anyHeader ?? rule.allHeaders?.slice(0, 1) ?? Object.keys(rule.headerValues ?? {}).slice(0, 1);
      const [key] = topKeys;
      if (names.length > 0) for (const name of names) push(byHeader, name, candidate);
      else if (rule.form !== undefined) index.byForm.push(candidate);
      else if (key !== undefined) push(byJsonKey, key, candidate);
      else if (rule.bodyText !== undefined) index.byText.push(candidate);
      else if (rule.query !== undefined) index.byQuery.push(candidate);
      else if (rule.userAgent !== undefined) index.byUserAgent.push(candidate);
    }
  }
  return { byHeader, byJsonKey, ...index };
}

/** Checks all conditions of the rule, the cheap ones first. */
export function ruleMatches({ rule, topKeys }: Candidate, reader: DeliveryReader): boolean {
  return (
    headersMatch(rule, reader) &&
    (rule.query === undefined || queryMatches(rule.query, reader)) &&
    (rule.form === undefined || formMatches(rule.form, rule.keyCount, reader)) &&
    (rule.json === undefined || jsonMatches(rule.json, rule.keyCount, topKeys, reader)) &&
    (rule.bodyText === undefined || rule.bodyText.test(reader.text().slice(0, 16_384))) &&
    (rule.when === undefined || rule.when.test(reader))
  );
}

function headersMatch(rule: DetectionRule, { headers, delivery }: DeliveryReader): boolean {
  if (rule.methods !== undefined && !rule.methods.includes(delivery.method.toUpperCase())) return false;
  if (rule.anyHeader !== undefined && !rule.anyHeader.some(name => headers.has(name))) return false;
  if (rule.allHeaders !== undefined && !rule.allHeaders.every(name => headers.has(name))) return false;
  if (rule.absentHeaders?.some(name => headers.has(name))) return false;
  if (rule.userAgent !== undefined && !headers.get('user-agent')?.startsWith(rule.userAgent)) return false;
  if (rule.headerValues === undefined) return true;
  return Object.entries(rule.headerValues).every(([name, pattern]) => {
    const value = headers.get(name);
    return value !== undefined && pattern.test(value.slice(0, 4096));
  });
}

function queryMatches(shape: NonNullable<DetectionRule['query']>, reader: DeliveryReader): boolean {
  const query = reader.query();
  return Object.entries(shape).every(([name, test]) => {
    const value = query.get(name);
    return value !== undefined && value !== '' && (test === true || test.test(value));
  });
}

function formMatches(shape: BodyShape, keys: number | undefined, reader: DeliveryReader): boolean {
  const form = reader.form();
  if (form === null || (keys !== undefined && form.size !== keys)) return false;
  return Object.entries(shape).every(([name, test]) => valueMatches(firstFormValue(form, name), test));
}

function jsonMatches(
  shape: BodyShape,
  keys: number | undefined,
  topKeys: readonly string[],
  reader: DeliveryReader,
): boolean {
  const scan = reader.jsonScan();
  if (scan === null || (keys !== undefined && scan.keys.length !== keys)) return false;
  if (!topKeys.every(key => scan.keys.includes(key))) return false;
  const json = reader.json();
  return json !== undefined && Object.entries(shape).every(([path, test]) => valueMatches(valueAt(json, path), test));
}

function valueMatches(value: unknown, test: BodyShape[string]): boolean {
  if (test === true) return value !== undefined && value !== null && value !== '';
  if (typeof value !== 'string') return false;
  if (typeof test === 'string') return value === test;
  return test instanceof RegExp ? test.test(value.slice(0, 16_384)) : test.includes(value);
}

/** `0.` steps into a list: the scan has the keys of its first object. */
const topKeysOf = (shape: BodyShape): string[] => [
  ...new Set(Object.keys(shape).map(path => path.replace(/^0\./, '').split('.')[0] ?? path)),
];

function push(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [candidate]);
  else list.push(candidate);
}
