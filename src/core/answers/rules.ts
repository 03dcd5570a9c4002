/* Reads the rules of an endpoint: checks all of them, fills in defaults, and prepares the answers. */
import { type Fault, maxBodyBytes, maxRuleNameCharacters } from '../../shared/answers.ts';
import { type Filter, FilterError, termsOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { readTemplate, type Template, teamPlaceholders } from '../../shared/placeholders.ts';
import { AppError, type ErrorDetails } from '../errors.ts';
import { type FieldPath, type FieldProblem, problemText } from '../field-problems.ts';
import { headerValue } from '../headers.ts';
import type { EndpointRedaction } from '../redaction/model.ts';
import { firstCharacters, isPlainText } from '../text.ts';
import { problemOfHeader, securityFields } from './headers.ts';
import type { AnswerRule, AnswerRules, EndpointGuard, RuleAnswer } from './model.ts';
import { type Escaping, escapingFor } from './placeholders.ts';

export type ActiveAnswer = {
  status: number;
  /** All but framing, the security headers included. */
  fields: readonly (readonly [name: string, value: string])[];
  /** The bytes, or a text with placeholders. */
  body: Uint8Array | { template: Template; escaping: Escaping };
  delayMs: number;
  fault: Fault | null;
};

export type ActiveRule = ReturnType<typeof readRule>;

/** The rules of an endpoint, prepared. `version`: sequences belong to it. */
export type ActiveRules = { version: number; rules: readonly ActiveRule[] };

/** What the capture path needs of an endpoint with rules, a guard or redaction. Other endpoints have no policy. */
export type EndpointPolicy = {
  rules?: ActiveRules | undefined;
  guard?: EndpointGuard | undefined;
  redaction?: EndpointRedaction | undefined;
};

type ReadRules = { given: AnswerRule[]; active: ActiveRule[] };

/** `path` begins with `rules`. */
type RuleProblem = FieldProblem & { details?: ErrorDetails };
type Report = (path: FieldPath, message: string, details?: ErrorDetails) => undefined;

/**
 * @param isStored whether they were accepted earlier: a version that did not know all placeholders took the others as text
 * @throws invalid, with all problems; the first gives the message and the details
 */
export function readRules(rules: AnswerRules, isStored = false): ReadRules {
  const { problems, ...read } = checkRules(rules, isStored);
  const [first] = problems;
  if (!first) return read;
  const { details } = first;
  throw new AppError('invalid', problemText(first), {
    problems: problems.map(({ path, message }) => ({ path, message })),
    ...(details && { details }),
  });
}

/** @param rules in the form of schema.ts @returns what was read; without problems, the rules can be used */
export function checkRules({ rules }: AnswerRules, isStored = false): ReadRules & { problems: RuleProblem[] } {
  const problems: RuleProblem[] = [];
  const report: Report = (path, message, details) =>
    void problems.push({ path: ['rules', ...path], message, ...(details && { details }) });
  const given = rules.map(withDefaults);
  const names = new Set<string>();
  for (const [i, { name }] of given.entries()) {
    if (names.has(name)) report([i, 'name'], `another rule is called ${JSON.stringify(name)}, too`);
    names.add(name);
  }
  const active = given.map((rule, i) => readRule(rule, i, report));
  for (const [i, { answer }] of isStored ? [] : given.entries()) {
    const [ofTeam] = answer.bodyEncoding === 'base64' ? [] : teamPlaceholders(answer.body ?? '');
    if (ofTeam) report([i, 'answer', 'body'], `${ofTeam} is not for answers, because senders are strangers`);
  }
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

function readRule(rule: Named, i: number, report: Report) {
  const { name, per, first, every, chance, rate, handshake = false, answer } = rule;
  const at = [i, 'name'];
  if (name.trim() !== name || name === '' || !isPlainText(name)) report(at, 'must be a text on one line');
  if (firstCharacters(name, maxRuleNameCharacters) !== name)
    report(at, `must have at most ${maxRuleNameCharacters} characters`);
  return {
    name,
    when: readWhen(rule.when, (message, details) => report([i, 'when'], message, details)),
    per,
    first,
    every,
    chance,
    rate,
    handshake,
    answer: readAnswer(answer, (path, message) => report([i, 'answer', ...path], message)),
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

function readAnswer(answer: RuleAnswer, report: Report): ActiveAnswer {
  const { status = 200, headers = [], body = '', bodyEncoding = 'utf8', delayMs = 0, fault = null } = answer;
  for (const [i, [name, value]] of headers.entries()) {
    const problem = problemOfHeader(name, value);
    if (problem !== undefined) report(['headers', i], `${JSON.stringify(name)} ${problem}`);
  }
  if (bodyEncoding === 'base64' && !base64Form.test(body)) report(['body'], 'is not base64');
  const bytes = Buffer.from(body, bodyEncoding);
  if (bytes.length > maxBodyBytes) report(['body'], `must have at most ${maxBodyBytes} bytes`);
  const type = headerValue(headers, 'content-type');
  const template = bodyEncoding === 'utf8' ? readTemplate(body, 'strangers') : [];
  return {
    status,
    fields: [
      ...headers,
      ...(type === undefined && bytes.length > 0 ? [['Content-Type', defaultType[bodyEncoding]] as const] : []),
      ...securityFields,
    ],
    body: template.some(part => typeof part !== 'string')
      ? { template, escaping: escapingFor(type ?? '') === 'json' ? 'json' : 'none' }
      : bytes,
    delayMs,
    fault,
  };
}

const defaultType = { utf8: 'text/plain; charset=utf-8', base64: 'application/octet-stream' };

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
