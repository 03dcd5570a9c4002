/* Reads the rules of an endpoint: checks all of them, fills in defaults, and prepares the answers. */
import {
  type Fault,
  maxBodyBytes,
  maxCount,
  maxDelayMs,
  maxHeaders,
  maxRateEvents,
  maxRateSeconds,
  maxRuleNameCharacters,
  maxRules,
  maxStatus,
  minStatus,
  type RuleScope,
} from '../../shared/answers.ts';
import { type Filter, FilterError, termsOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { AppError, invalid } from '../errors.ts';
import type { FieldPath, FieldProblem } from '../field-problems.ts';
import { firstCharacters, isPlainText } from '../text.ts';
import { problemOfHeader, securityFields } from './headers.ts';
import type { AnswerRule, AnswerRules, EndpointGuard, RuleAnswer } from './model.ts';
import { readTemplate, type Template } from './placeholders.ts';

/** An answer, prepared. */
export type ActiveAnswer = {
  status: number;
  /** All but framing, the security headers included. */
  fields: readonly (readonly [name: string, value: string])[];
  /** The bytes, or a text with placeholders. */
  body: Uint8Array | { template: Template; isJson: boolean };
  delayMs: number;
  fault: Fault | null;
};

export type ActiveRule = {
  name: string;
  /** Undefined: every event. */
  when: Filter | undefined;
  per: RuleScope;
  first: number | undefined;
  every: number | undefined;
  chance: number | undefined;
  rate: { max: number; perS: number } | undefined;
  handshake: boolean;
  answer: ActiveAnswer;
};

/** The rules of an endpoint, prepared. `version`: sequences belong to it. */
export type ActiveRules = { version: number; rules: readonly ActiveRule[] };

/** The rules and the guard of an endpoint, for the capture path. Endpoints without either have no policy. */
export type EndpointPolicy = { rules?: ActiveRules | undefined; guard?: EndpointGuard | undefined };

/** `given`: with defaults filled in. */
type ReadRules = { given: AnswerRule[]; active: ActiveRule[] };

/** `path` begins with `rules`. `error` is the API's, whose message names the rule and its field. */
type RuleProblem = FieldProblem & { error: AppError };
type Report = (path: FieldPath, message: string, error: AppError) => undefined;

/** @throws invalid, with the first problem */
export function readRules(rules: AnswerRules): ReadRules {
  const { problems, ...read } = checkRules(rules);
  const [first] = problems;
  if (first) {
    const { message, details } = first.error;
    throw new AppError('invalid', message, { problems: problems.map(fieldProblem), ...(details && { details }) });
  }
  return read;
}

const fieldProblem = ({ path, message }: RuleProblem): FieldProblem => ({ path, message });

/** Without problems, the rules can be used. */
export function checkRules({ rules }: AnswerRules): ReadRules & { problems: RuleProblem[] } {
  const problems: RuleProblem[] = [];
  const report: Report = (path, message, error) => void problems.push({ path: ['rules', ...path], message, error });
  if (rules.length > maxRules) {
    const message = `an endpoint has at most ${maxRules} rules`;
    report([], message, invalid(`rules: ${message}`));
  }
  const given = rules.map(withDefaults);
  const names = new Set<string>();
  for (const [i, { name }] of given.entries()) {
    const message = `another rule is called ${JSON.stringify(name)}, too`;
    if (names.has(name)) report([i, 'name'], message, invalid(`rules[${i}].name: ${message}`));
    names.add(name);
  }
  const active = given.map((rule, i) => readRule(rule, i, report));
  return { given, active, problems };
}

type Named = AnswerRule & Required<Pick<AnswerRule, 'name' | 'per'>>;

/** In the order in which fields are documented. */
function withDefaults({ name, when, per, answer, ...rule }: AnswerRule, i: number): Named {
  return {
    name: name ?? `rule-${i + 1}`,
    ...(when !== undefined && { when }),
    per: per ?? 'endpoint',
    ...rule,
    answer: { ...answer, status: answer.status ?? (rule.rate ? 429 : 200) },
  };
}

function readRule(rule: Named, i: number, report: Report): ActiveRule {
  const { name, per, first, every, chance, rate, handshake = false, answer } = rule;
  const at = `rules[${i}] (${JSON.stringify(name)})`;
  const check: Check = (isValid, field, problem, index) => {
    const path = [i, ...field.split('.'), ...(index === undefined ? [] : [index])];
    if (!isValid) report(path, problem, invalid(`${at}: ${field} ${problem}`));
  };
  check(name.trim() === name && name !== '' && isPlainText(name), 'name', 'must be a text on one line');
  check(
    firstCharacters(name, maxRuleNameCharacters) === name,
    'name',
    `has at most ${maxRuleNameCharacters} characters`,
  );
  const count = (value: number | undefined, field: string, max: number): void =>
    check(
      value === undefined || (Number.isInteger(value) && value >= 1 && value <= max),
      field,
      `must be a whole number from 1 to ${max}`,
    );
  count(first, 'first', maxCount);
  count(every, 'every', maxCount);
  count(rate?.max, 'rate.max', maxRateEvents);
  count(rate?.perS, 'rate.perS', maxRateSeconds);
  check(chance === undefined || (chance >= 0 && chance <= 1), 'chance', 'must be from 0 to 1');
  return {
    name,
    when: readWhen(rule.when, (message, details) =>
      report([i, 'when'], message, new AppError('invalid', `${at}: when: ${message}`, { details })),
    ),
    per,
    first,
    every,
    chance,
    rate,
    handshake,
    answer: readAnswer(answer, check),
  };
}

/** Fields that a delivery does not have yet when it is answered. */
const unknownColumns = new Set(['attempt', 'answered', 'tag', 'is']);

function readWhen(
  when: string | undefined,
  report: (message: string, details: { position: number; nearest: string | null }) => undefined,
): Filter | undefined {
  if (when === undefined) return undefined;
  let filter: Filter;
  try {
    filter = parseFilter(when);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { message, position, nearest } = error;
    return report(message, { position, nearest });
  }
  const unknown = termsOf(filter.root).find(term => term.on === 'column' && unknownColumns.has(term.column));
  if (unknown && unknown.on === 'column')
    return report(
      `${unknown.column} is not known before the answer${unknown.column === 'attempt' ? '; write "per": "delivery" with first or every' : ''}`,
      { position: unknown.start, nearest: null },
    );
  return filter.root && filter;
}

/** `index`: of an element of the field. */
type Check = (isValid: boolean, field: string, problem: string, index?: number) => void;

function readAnswer(answer: RuleAnswer, check: Check): ActiveAnswer {
  const { status = 200, headers = [], body = '', bodyEncoding = 'utf8', delayMs = 0, fault = null } = answer;
  check(
    Number.isInteger(status) && status >= minStatus && status <= maxStatus,
    'answer.status',
    `must be a whole number from ${minStatus} to ${maxStatus}`,
  );
  check(
    Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= maxDelayMs,
    'answer.delayMs',
    `must be a whole number from 0 to ${maxDelayMs}`,
  );
  check(headers.length <= maxHeaders, 'answer.headers', `has at most ${maxHeaders} headers`);
  for (const [index, [name, value]] of headers.entries()) {
    const problem = problemOfHeader(name, value);
    check(problem === undefined, 'answer.headers', `${JSON.stringify(name)} ${problem}`, index);
  }
  check(bodyEncoding === 'utf8' || base64Form.test(body), 'answer.body', 'is not base64');
  const bytes = Buffer.from(body, bodyEncoding);
  check(bytes.length <= maxBodyBytes, 'answer.body', `has at most ${maxBodyBytes} bytes`);
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const template = bodyEncoding === 'utf8' ? readTemplate(body) : [];
  return {
    status,
    fields: [
      ...headers,
      ...(type === undefined && bytes.length > 0 ? [['Content-Type', defaultType[bodyEncoding]] as const] : []),
      ...securityFields,
    ],
    body: template.some(part => typeof part !== 'string')
      ? { template, isJson: type !== undefined && isJsonType(type) }
      : bytes,
    delayMs,
    fault,
  };
}

const defaultType = { utf8: 'text/plain; charset=utf-8', base64: 'application/octet-stream' };
const isJsonType = (type: string): boolean =>
  /^\s*(?:application\/(?:[\w.+-]+\+)?json|text\/json)\s*(?:;|$)/i.test(type);

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
