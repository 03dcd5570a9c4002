/* Reads the answers of a file: the form of each field here, so that its line can be named, and their meaning with the API's own rules. */

import type { AnswerRule, AnswerRules, RuleAnswer } from '../../core/answers/model.ts';
import { checkRules } from '../../core/answers/rules.ts';
import { collectProblems, type FieldPath, type Report, readObject } from '../../core/field-problems.ts';
import { faults, ruleScopes } from '../../shared/answers.ts';
import { flag, number, ofTheirKinds, oneOf, pairs, text } from './kinds.ts';

const kinds = {
  name: text,
  when: text,
  per: oneOf(ruleScopes),
  first: number,
  every: number,
  chance: number,
  handshake: flag,
};
const rateKinds = { max: number, perS: number };
const answerKinds = {
  status: number,
  headers: pairs,
  body: text,
  bodyEncoding: oneOf(['utf8', 'base64']),
  delayMs: number,
  fault: oneOf(faults),
};

/** @returns the rules with defaults filled in; undefined when they cannot be used, with every problem reported */
export function readAnswers(given: unknown, path: FieldPath, report: Report): AnswerRules | undefined {
  const fields = readObject(given, path, ['rules'], report);
  if (!fields) return undefined;
  const { rules } = fields;
  const at = [...path, 'rules'];
  if (!Array.isArray(rules)) return report(at, 'must be a list');
  const { problems, report: note } = collectProblems();
  const wellFormed = rules.map((one, index) => readForm(one, [...at, index], note));
  const checked = checkRules({ rules: wellFormed });
  for (const one of checked.problems) note([...path, ...one.path], one.message);
  for (const one of problems) report(one.path, one.message);
  return problems.length === 0 ? { rules: checked.given } : undefined;
}

/** A rule with only those fields that have their kind: so the others can be checked further. */
function readForm(given: unknown, path: FieldPath, report: Report): AnswerRule {
  const fields = readObject(given, path, [...Object.keys(kinds), 'rate', 'answer'], report);
  if (!fields) return { answer: {} };
  const { rate, answer } = fields;
  const rateAt = [...path, 'rate'];
  const answerAt = [...path, 'answer'];
  const rateFields = rate === undefined ? undefined : readObject(rate, rateAt, Object.keys(rateKinds), report);
  const answerFields = readObject(answer, answerAt, Object.keys(answerKinds), report) ?? {};
  for (const name of Object.keys(rateFields ? rateKinds : {}))
    if (rateFields?.[name] === undefined) report([...rateAt, name], 'is missing');
  const { max = 1, perS = 1 } = rateFields ? ofTheirKinds(rateFields, rateKinds, rateAt, report) : {};
  return {
    // Each field has the type that it has there.
    ...(ofTheirKinds(fields, kinds, path, report) as Omit<AnswerRule, 'answer' | 'rate'>),
    ...(rateFields && { rate: { max: Number(max), perS: Number(perS) } }),
    answer: ofTheirKinds(answerFields, answerKinds, answerAt, report) as RuleAnswer,
  };
}
