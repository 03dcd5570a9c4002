/*
 * A rule as it is being edited: the texts of its fields, which may be wrong for a while. Pure. An empty number means that the rule does
 * not have it.
 */

import type { AnswerRule } from '../../features/answers/model.ts';
import { maxCount, maxDelayMs, maxRateEvents, maxRateSeconds } from '../../shared/answers.ts';
import { FilterError } from '../../shared/filter/filter.ts';
import { parseDuration } from '../../shared/units.ts';
import { parse } from '../inspector/filter/filter-text.ts';

export type Per = NonNullable<AnswerRule['per']>;
export type Fault = NonNullable<AnswerRule['answer']['fault']>;

export type RuleDraft = {
  /** Identifies the rule on the page, whatever its name and place. */
  key: number;
  name: string;
  when: string;
  per: Per;
  first: string;
  every: string;
  /** In percent. */
  chance: string;
  rateMax: string;
  ratePerS: string;
  handshake: boolean;
  status: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
  isBase64: boolean;
  /** A duration: `800ms`, `10s`. */
  delay: string;
  fault: Fault | '';
};

/** The fields of a rule that can be wrong. */
export type RuleField = Exclude<keyof RuleDraft, 'key'>;
export type RuleProblems = Partial<Record<RuleField, string>>;

let lastKey = 0;
export const newKey = (): number => ++lastKey;

export function draftOf(rule: AnswerRule): RuleDraft {
  const { answer, chance, rate, delayMs = 0 } = { ...rule, delayMs: rule.answer.delayMs };
  return {
    key: newKey(),
    name: rule.name ?? '',
    when: rule.when ?? '',
    per: rule.per ?? 'endpoint',
    first: textOf(rule.first),
    every: textOf(rule.every),
    chance: textOf(chance === undefined ? undefined : inPercent(chance)),
    rateMax: textOf(rate?.max),
    ratePerS: textOf(rate?.perS),
    handshake: rule.handshake ?? false,
    status: textOf(answer.status),
    headers: answer.headers ?? [],
    body: answer.body ?? '',
    isBase64: answer.bodyEncoding === 'base64',
    delay: delayMs === 0 ? '' : writeDelay(delayMs),
    fault: answer.fault ?? '',
  };
}

/** A new rule answers every delivery until its author adds conditions. */
export const emptyRule = (): RuleDraft => draftOf({ answer: { status: 500 } });

export const copyOf = (draft: RuleDraft, names: readonly string[]): RuleDraft => ({
  ...draft,
  key: newKey(),
  name: draft.name === '' ? '' : freeName(draft.name, names),
});

/** `flaky` -> `flaky-2`, `flaky-3`, … */
function freeName(name: string, taken: readonly string[]): string {
  const base = name.replace(/-\d+$/, '');
  for (let n = 2; ; n++) if (!taken.includes(`${base}-${n}`)) return `${base}-${n}`;
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));
const inPercent = (chance: number): number => Number((chance * 100).toPrecision(12));
const writeDelay = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

/** The rule as the API takes it. Invalid fields are left out and named in `problems`. */
export function ruleOf(draft: RuleDraft): { rule: AnswerRule; problems: RuleProblems } {
  const problems: RuleProblems = {};
  const number = (field: 'first' | 'every' | 'rateMax' | 'ratePerS' | 'status', min: number, max: number) =>
    readNumber(draft[field], min, max, problem => {
      problems[field] = problem;
    });
  const filter = parse(draft.when);
  if (filter instanceof FilterError) problems.when = filter.message;
  const first = number('first', 1, maxCount);
  const every = number('every', 1, maxCount);
  const chance = readChance(draft, problems);
  const max = number('rateMax', 1, maxRateEvents);
  const perS = number('ratePerS', 1, maxRateSeconds);
  if (max !== undefined && perS === undefined) problems.ratePerS ??= 'How many seconds?';
  if (perS !== undefined && max === undefined) problems.rateMax ??= 'How many requests?';
  const when = draft.when.trim();
  const rule: AnswerRule = {
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    ...(when !== '' && { when }),
    ...(draft.per !== 'endpoint' && { per: draft.per }),
    ...(first !== undefined && { first }),
    ...(every !== undefined && { every }),
    ...(chance !== undefined && { chance }),
    ...(max !== undefined && perS !== undefined && { rate: { max, perS } }),
    ...(draft.handshake && { handshake: true }),
    answer: answerOf(draft, number('status', 200, 599), problems),
  };
  return { rule, problems };
}

function answerOf(draft: RuleDraft, status: number | undefined, problems: RuleProblems): AnswerRule['answer'] {
  const delay = draft.delay.trim();
  const delayMs = delay === '' ? 0 : parseDuration(/^\d+$/.test(delay) ? `${delay}ms` : delay);
  if (delayMs === undefined) problems.delay = 'Write a duration, such as 800ms or 10s.';
  else if (delayMs > maxDelayMs) problems.delay = 'At most 60s.';
  const headers = draft.headers.filter(([name, value]) => name.trim() !== '' || value !== '');
  if (headers.some(([name]) => name.trim() === '')) problems.headers = 'A header has no name.';
  return {
    ...(status !== undefined && { status }),
    ...(headers.length > 0 && { headers: headers.map(([name, value]): [string, string] => [name.trim(), value]) }),
    ...(draft.body !== '' && { body: draft.isBase64 ? draft.body.replaceAll(/\s/g, '') : draft.body }),
    ...(draft.body !== '' && draft.isBase64 && { bodyEncoding: 'base64' as const }),
    ...(delayMs !== undefined && delayMs > 0 && { delayMs }),
    ...(draft.fault !== '' && { fault: draft.fault }),
  };
}

function readNumber(text: string, min: number, max: number, refuse: (problem: string) => void): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (value >= min && value <= max) return value;
  refuse(`A whole number from ${min} to ${max.toLocaleString()}.`);
  return undefined;
}

function readChance({ chance }: RuleDraft, problems: RuleProblems): number | undefined {
  const text = chance.trim().replace(/\s*%$/, '');
  if (text === '') return undefined;
  const percent = /^\d{1,3}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (percent <= 100) return Number((percent / 100).toPrecision(12));
  problems.chance = 'A number from 0 to 100.';
  return undefined;
}

/** The names that the rules have when they are saved: without one, `rule-N`. */
export const namesOf = (drafts: readonly RuleDraft[]): string[] =>
  drafts.map(({ name }, at) => (name.trim() === '' ? `rule-${at + 1}` : name.trim()));

/** All rules, or their problems, by key. */
export function rulesOf(drafts: readonly RuleDraft[]): {
  rules: AnswerRule[];
  problems: ReadonlyMap<number, RuleProblems>;
} {
  const read = drafts.map(draft => ({ key: draft.key, ...ruleOf(draft) }));
  const names = namesOf(drafts);
  const problems = new Map<number, RuleProblems>();
  for (const [at, one] of read.entries()) {
    const isDouble = names.indexOf(names[at] ?? '') < at;
    const found = isDouble ? { ...one.problems, name: `Another rule is called ${names[at]}.` } : one.problems;
    if (Object.keys(found).length > 0) problems.set(one.key, found);
  }
  return { rules: read.map(one => one.rule), problems };
}

/** Moves a rule to another place. */
export function moved(drafts: readonly RuleDraft[], from: number, to: number): RuleDraft[] {
  const rest = drafts.filter((_, at) => at !== from);
  const one = drafts[from];
  return one ? rest.toSpliced(to, 0, one) : rest;
}
