/*
 * Detection rules made fast: each is compiled once, and found again by what a delivery shows at first sight (a header name, a
 * key of the JSON, a form body, ...). A shape that does not fit means "no match", never an error.
 */
import type { Platform, Rule, Shape } from './model.ts';
import { at, field, type Reading } from './reading.ts';

export type Candidate = {
  platform: Platform;
  rule: Rule;
  order: number;
  /** Keys that must stand at the top of the JSON: asked before anything is parsed. */
  topKeys: readonly string[];
};

export type RuleIndex = {
  /** Found by the name of a header the rule asks for. */
  byHeader: ReadonlyMap<string, readonly Candidate[]>;
  /** Found by one key at the top of the JSON. */
  byKey: ReadonlyMap<string, readonly Candidate[]>;
  byForm: readonly Candidate[];
  byText: readonly Candidate[];
  byQuery: readonly Candidate[];
  byAgent: readonly Candidate[];
};

/** Files each rule under the first thing it asks for, in the order: header, form, JSON, text, query, agent. */
export function indexRules(rows: readonly Platform[]): RuleIndex {
  const byHeader = new Map<string, Candidate[]>();
  const byKey = new Map<string, Candidate[]>();
  const index = {
    byForm: [] as Candidate[],
    byText: [] as Candidate[],
    byQuery: [] as Candidate[],
    byAgent: [] as Candidate[],
  };
  for (const platform of rows) {
    for (const rule of platform.detect) {
      const topKeys = rule.json === undefined ? [] : topKeysOf(rule.json);
      const candidate: Candidate = { platform, rule, order: rule.order, topKeys };
      const names = rule.any ?? rule.all?.slice(0, 1) ?? Object.keys(rule.value ?? {}).slice(0, 1);
      const [key] = topKeys;
      if (names.length > 0) for (const name of names) push(byHeader, name, candidate);
      else if (rule.form !== undefined) index.byForm.push(candidate);
      else if (key !== undefined) push(byKey, key, candidate);
      else if (rule.text !== undefined) index.byText.push(candidate);
      else if (rule.query !== undefined) index.byQuery.push(candidate);
      else if (rule.agent !== undefined) index.byAgent.push(candidate);
    }
  }
  return { byHeader, byKey, ...index };
}

/** Whether all conditions of the rule hold, the cheap ones first. */
export function holds({ rule, topKeys }: Candidate, reading: Reading): boolean {
  return (
    headersHold(rule, reading) &&
    (rule.query === undefined || queryHolds(rule.query, reading)) &&
    (rule.form === undefined || formHolds(rule.form, rule.keys, reading)) &&
    (rule.json === undefined || jsonHolds(rule.json, rule.keys, topKeys, reading)) &&
    (rule.text === undefined || rule.text.test(reading.text().slice(0, 16_384))) &&
    (rule.when === undefined || rule.when.test(reading))
  );
}

function headersHold(rule: Rule, { headers, delivery }: Reading): boolean {
  if (rule.method !== undefined && !rule.method.includes(delivery.method.toUpperCase())) return false;
  if (rule.any !== undefined && !rule.any.some(name => headers.has(name))) return false;
  if (rule.all !== undefined && !rule.all.every(name => headers.has(name))) return false;
  if (rule.absent?.some(name => headers.has(name))) return false;
  if (rule.agent !== undefined && !headers.get('user-agent')?.startsWith(rule.agent)) return false;
  if (rule.value === undefined) return true;
  return Object.entries(rule.value).every(([name, pattern]) => {
    const value = headers.get(name);
    return value !== undefined && pattern.test(value.slice(0, 4096));
  });
}

function queryHolds(shape: NonNullable<Rule['query']>, reading: Reading): boolean {
  const query = reading.query();
  return Object.entries(shape).every(([name, test]) => {
    const value = query.get(name);
    return value !== undefined && value !== '' && (test === true || test.test(value));
  });
}

function formHolds(shape: Shape, keys: number | undefined, reading: Reading): boolean {
  const form = reading.form();
  if (form === null || (keys !== undefined && form.size !== keys)) return false;
  return Object.entries(shape).every(([name, test]) => fits(field(form, name), test));
}

function jsonHolds(shape: Shape, keys: number | undefined, topKeys: readonly string[], reading: Reading): boolean {
  const outline = reading.outline();
  if (outline === null || (keys !== undefined && outline.keys.length !== keys)) return false;
  if (!topKeys.every(key => outline.keys.includes(key))) return false;
  const json = reading.json();
  return json !== undefined && Object.entries(shape).every(([path, test]) => fits(at(json, path), test));
}

function fits(value: unknown, test: Shape[string]): boolean {
  if (test === true) return value !== undefined && value !== null && value !== '';
  if (typeof value !== 'string') return false;
  if (typeof test === 'string') return value === test;
  return test instanceof RegExp ? test.test(value.slice(0, 16_384)) : test.includes(value);
}

/** `0.` steps into a list, whose first object the outline shows. */
const topKeysOf = (shape: Shape): string[] => [
  ...new Set(Object.keys(shape).map(path => path.replace(/^0\./, '').split('.')[0] ?? path)),
];

function push(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [candidate]);
  else list.push(candidate);
}
