/* Reads the answers of a file: the form of each field here, so that its line can be named, and their meaning with the API's own rules. */
import { type AnswerRule, type AnswerRules, faults, ruleScopes } from '../../core/answers/model.ts';
import { readRules } from '../../core/answers/rules.ts';
import { AppError } from '../../core/errors.ts';
import { type FieldPath, type Fields, type Report, readObject } from '../../core/field-problems.ts';
import { flag, hasKinds, number, oneOf, pairs, text } from './kinds.ts';

const rule = {
  name: text,
  when: text,
  per: oneOf(ruleScopes),
  first: number,
  every: number,
  chance: number,
  handshake: flag,
};
const rate = { max: number, perS: number };
const answer = {
  status: number,
  headers: pairs,
  body: text,
  bodyEncoding: oneOf(['utf8', 'base64']),
  delayMs: number,
  fault: oneOf(faults),
};

/** @returns the rules with defaults filled in; undefined when they cannot be used */
export function readAnswers(given: unknown, path: FieldPath, report: Report): AnswerRules | undefined {
  const fields = readObject(given, path, ['rules'], report);
  if (!fields) return undefined;
  const { rules } = fields;
  const at = [...path, 'rules'];
  if (!Array.isArray(rules)) return report(at, 'must be a list');
  const isWellFormed = rules.map((one, index) => isRule(one, [...at, index], report));
  if (isWellFormed.includes(false)) return undefined;
  try {
    // Each field has the type that it has there.
    return { rules: readRules({ rules: rules as AnswerRule[] }).given };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [, index, message = error.message] = /^rules\[(\d+)\][^:]*: (.*)$/s.exec(error.message) ?? [];
    return report(index === undefined ? at : [...at, Number(index)], message);
  }
}

function isRule(given: unknown, path: FieldPath, report: Report): boolean {
  const fields = readObject(given, path, [...Object.keys(rule), 'rate', 'answer'], report);
  if (!fields) return false;
  const checks = [hasKinds(fields, rule, path, report)];
  for (const [name, kinds] of [['rate', rate] as const, ['answer', answer] as const]) {
    const value = fields[name];
    if (value === undefined && name === 'rate') continue;
    const inner = readObject(value, [...path, name], Object.keys(kinds), report);
    checks.push(inner !== undefined && hasKinds(inner, kinds, [...path, name], report));
  }
  if (isFieldsOf(fields['rate']))
    for (const name of Object.keys(rate))
      if (fields['rate'][name] === undefined) {
        report([...path, 'rate', name], 'is missing');
        checks.push(false);
      }
  return !checks.includes(false);
}

const isFieldsOf = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
