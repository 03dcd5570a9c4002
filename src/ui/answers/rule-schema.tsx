/* The fields of a rule, and the rules that a list of drafts makes. An empty field means that the rule does not have it. */

import type { AnswerRule } from '../../features/answers/model.ts';
import {
  maxCount,
  maxDelayMs,
  maxRateEvents,
  maxRateSeconds,
  maxRuleNameCharacters,
  maxStatus,
  minStatus,
} from '../../shared/answers.ts';
import { maxDurationCharacters, parseDuration } from '../../shared/units.ts';
import { filterText } from '../inspector/filter/filter-field.tsx';
import { ApiError } from '../kit/api.ts';
import { choice, flag, optional, text, typed, wholeNumber } from '../kit/fields.tsx';
import {
  appliedPaths,
  type DraftOf,
  draftOf as draftOfSchema,
  type FormField,
  fieldFor,
  type Pair,
  type Problems,
  problemsOf,
  type Rules,
  requestOf,
  type SchemaOf,
} from '../kit/schema.ts';
import { messageOf } from '../kit/toasts.tsx';

type CountOptions = { label: string; hint: string; min: number; max: number };
const count = (options: CountOptions): FormField<string, number> =>
  optional(wholeNumber({ ...options, isOptional: true }));

/** In percent. */
const chance = typed<number | undefined>(
  { label: 'Probability (%)', hint: 'Random, per request', inputMode: 'decimal' },
  {
    from: value => String(Number(((value ?? 0) * 100).toPrecision(12))),
    to: text => (text === '' ? undefined : Number((percentOf(text) / 100).toPrecision(12))),
    problem: text => (percentOf(text) <= 100 ? undefined : 'Enter a number from 0 to 100.'),
  },
);
const percentOf = (text: string): number => {
  const number = text.replace(/\s*%$/, '');
  return /^\d{1,3}(?:\.\d{1,6})?$/.test(number) ? Number(number) : Number.NaN;
};

/** A duration: `800ms`, `10s`. */
const delay = typed<number | undefined>(
  { label: 'Delay', hint: 'such as 800ms or 10s', placeholder: 'none', maxLength: maxDurationCharacters },
  {
    from: (ms = 0) => (ms === 0 ? '' : ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`),
    to: text => delayOf(text) || undefined,
    problem(text) {
      const ms = delayOf(text);
      if (ms === undefined) return 'Enter a duration such as 800ms or 10s.';
      return ms > maxDelayMs ? `At most ${maxDelayMs / 1000}s.` : undefined;
    },
  },
);
const delayOf = (text: string): number | undefined => parseDuration(/^\d+$/.test(text) ? `${text}ms` : text);

type Per = NonNullable<AnswerRule['per']>;

const answerHeaders: FormField<readonly Pair[], [string, string][]> = {
  from: value => value ?? [],
  to(draft) {
    const given = draft.filter(([name, value]) => name.trim() !== '' || value !== '');
    return given.length === 0 ? undefined : given.map(([name, value]) => [name.trim(), value]);
  },
  problem: draft =>
    draft.some(([name, value]) => name.trim() === '' && value !== '') ? 'Enter a header name.' : undefined,
};

/** Not trimmed: it is sent as it was entered. */
const body: FormField<string, string> = { from: value => value ?? '', to: draft => draft || undefined };

const encoding: FormField<boolean, 'utf8' | 'base64'> = {
  from: value => value === 'base64',
  to: isBase64 => (isBase64 ? 'base64' : undefined),
};

const schema = {
  name: optional(
    text({ label: 'Name', hint: 'Shown on each event that the rule matched.', maxLength: maxRuleNameCharacters }),
  ),
  when: optional(filterText),
  first: count({ label: 'First N only', hint: 'stops after N matches', min: 1, max: maxCount }),
  every: count({ label: 'Every', hint: '3 = the 3rd, 6th, …', min: 1, max: maxCount }),
  chance,
  'rate.max': count({ label: 'Rate limit: requests', hint: 'applies above this limit', min: 1, max: maxRateEvents }),
  'rate.perS': count({ label: 'Rate limit: seconds', hint: 'per N seconds', min: 1, max: maxRateSeconds }),
  per: {
    ...choice({
      label: 'Count',
      options: [
        { id: 'endpoint', label: 'All requests' },
        { id: 'delivery', label: 'Attempts, per delivery' },
      ],
    }),
    to: (per: Per) => (per === 'endpoint' ? undefined : per),
  },
  handshake: flag({
    label: 'Also answer handshakes',
    hint: "When off, Hooktape answers a platform's URL check correctly, so that registration works.",
    on: true,
    off: undefined,
  }),
  'answer.status': count({ label: 'Status', hint: '', min: minStatus, max: maxStatus }),
  'answer.delayMs': delay,
  'answer.fault': optional(
    choice({
      label: 'Fault',
      options: [
        { id: '', label: 'None' },
        { id: 'close', label: 'Close the connection without an answer' },
        { id: 'reset', label: 'Reset the connection' },
        { id: 'stall', label: 'Send the headers, then stall for 60 s' },
      ],
    }),
  ),
  'answer.headers': answerHeaders,
  'answer.body': body,
  'answer.bodyEncoding': encoding,
} satisfies SchemaOf<AnswerRule>;

export type RulePath = keyof typeof schema;
export type RuleProblems = Problems<RulePath>;
/** A rule as it is edited. `key`: identifies it on the page, independent of its name and place. */
export type RuleDraft = DraftOf<typeof schema> & { key: number };

export const ruleRules: Rules<typeof schema> = {
  schema,
  check: draft => ({
    ...(draft['rate.max'] !== '' && draft['rate.perS'] === '' && { 'rate.perS': 'Enter the seconds.' }),
    ...(draft['rate.perS'] !== '' && draft['rate.max'] === '' && { 'rate.max': 'Enter the number of requests.' }),
  }),
};

let lastKey = 0;
export const newKey = (): number => ++lastKey;

export const draftOf = (rule: AnswerRule): RuleDraft => ({ key: newKey(), ...draftOfSchema(schema, rule) });

/** A new rule answers every request until its author adds conditions. */
export const emptyRule = (): RuleDraft => draftOf({ answer: { status: 500 } });

/** The rule as the API takes it. Wrong fields are left out and named in `problems`. */
export function ruleOf(draft: RuleDraft): { rule: AnswerRule; problems: RuleProblems } {
  const problems: RuleProblems = problemsOf(ruleRules, draft);
  const isRateWrong = problems['rate.max'] !== undefined || problems['rate.perS'] !== undefined;
  const applies = (path: RulePath): boolean =>
    problems[path] === undefined &&
    !(isRateWrong && path.startsWith('rate.')) &&
    (path !== 'answer.bodyEncoding' || draft['answer.body'] !== '');
  const { answer = {}, ...rule } = requestOf({ schema, applies }, draft) as Partial<AnswerRule>;
  const { body: given } = answer;
  const isBase64 = given !== undefined && draft['answer.bodyEncoding'];
  return { rule: { ...rule, answer: isBase64 ? { ...answer, body: given.replaceAll(/\s/g, '') } : answer }, problems };
}

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
    const found = isDouble ? { ...one.problems, name: `${names[at]} is already used by another rule.` } : one.problems;
    if (Object.keys(found).length > 0) problems.set(one.key, found);
  }
  return { rules: read.map(one => one.rule), problems };
}

export function moved(drafts: readonly RuleDraft[], from: number, to: number): RuleDraft[] {
  const rest = drafts.filter((_, at) => at !== from);
  const one = drafts[from];
  return one ? rest.toSpliced(to, 0, one) : rest;
}

export type Refusal = {
  error: unknown;
  /** By key. */
  problems: ReadonlyMap<number, RuleProblems>;
  /** The problem that belongs to no field; empty without one. */
  message: string;
};

/** @param drafts the rules that were sent, in this order */
export function refusalOf(error: unknown, drafts: readonly RuleDraft[]): Refusal {
  const problems = new Map<number, RuleProblems>();
  const found = error instanceof ApiError ? error.problems : [];
  let isPlaced = found.length > 0;
  for (const { path, message } of found) {
    const [, index, inside = ''] = /^rules\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const draft = drafts[Number(index ?? -1)];
    const field = draft && fieldFor(appliedPaths(ruleRules, draft), inside);
    if (field) problems.set(draft.key, { [field]: message, ...problems.get(draft.key) });
    else isPlaced = false;
  }
  return { error, problems, message: isPlaced ? '' : messageOf(error) };
}
