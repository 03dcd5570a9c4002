import { describe, expect, test } from 'bun:test';
import type { AnswerRule } from '../../features/answers/model.ts';
import { answerPresets } from '../../shared/answer-presets.ts';
import { ApiError } from '../kit/api.ts';
import { copyOf, draftOf, moved, namesOf, refusalOf, ruleOf, rulesOf } from './rule-schema.tsx';

const whole: AnswerRule = {
  name: 'all of it',
  when: 'type:invoice.* body.amount>1000',
  per: 'delivery',
  first: 2,
  every: 3,
  chance: 0.29,
  rate: { max: 5, perS: 60 },
  handshake: true,
  answer: {
    status: 503,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-A', ''],
    ],
    body: '{"id":"{{id}}"}',
    delayMs: 1500,
    fault: 'stall',
  },
};

describe('a rule as a draft', () => {
  test('becomes the same rule again, whatever it combines', () => {
    const rules: AnswerRule[] = [
      whole,
      { answer: {} },
      { name: 'bytes', answer: { body: 'AAH/', bodyEncoding: 'base64', delayMs: 60_000 } },
      ...answerPresets.flatMap(({ rules }) => rules),
    ];
    for (const rule of rules) expect(ruleOf(draftOf(rule))).toEqual({ rule, problems: {} });
  });

  test('keeps a chance as it was written in percent', () => {
    for (const chance of [0.07, 0.29, 0.57, 1, 0.001, 0]) {
      const draft = draftOf({ chance, answer: {} });
      expect(draft.chance).toBe(String(Number((chance * 100).toFixed(6))));
      expect(ruleOf(draft).rule.chance).toBe(chance);
    }
  });

  test('reads delays with and without a unit', () => {
    const delayOf = (delay: string) => ruleOf({ ...draftOf({ answer: {} }), 'answer.delayMs': delay });
    expect(delayOf('10s').rule.answer.delayMs).toBe(10_000);
    expect(delayOf(' 250 ').rule.answer.delayMs).toBe(250);
    expect(delayOf('1m').rule.answer.delayMs).toBe(60_000);
    expect(delayOf('61s').problems['answer.delayMs']).toBe('At most 60s.');
    expect(delayOf('soon').problems['answer.delayMs']).toStartWith('Enter a duration such as 800ms or 10s.');
  });

  test.each([
    ['first', '0'],
    ['first', '1.5'],
    ['every', '-1'],
    ['answer.status', '199'],
    ['answer.status', '600'],
    ['chance', '101'],
    ['chance', 'often'],
    ['when', 'tpye:push'],
    ['when', '('],
  ] as const)('names what is wrong in %s: %s', (field, text) => {
    const { problems } = ruleOf({ ...draftOf({ answer: {} }), [field]: text });
    expect(Object.keys(problems)).toEqual([field]);
  });

  test('takes as many requests a rate as the server does', () => {
    const problemOf = (max: string) =>
      ruleOf({ ...draftOf({ answer: {} }), 'rate.max': max, 'rate.perS': '1' }).problems;
    expect(problemOf('1000')).toEqual({});
    expect(problemOf('1001')).toEqual({ 'rate.max': 'Enter a whole number from 1 to 1,000.' });
  });

  test('asks for both halves of a rate, and for the name of a header', () => {
    const draft = draftOf({ answer: {} });
    expect(Object.keys(ruleOf({ ...draft, 'rate.max': '5' }).problems)).toEqual(['rate.perS']);
    expect(Object.keys(ruleOf({ ...draft, 'rate.perS': '5' }).problems)).toEqual(['rate.max']);
    expect(ruleOf({ ...draft, 'answer.headers': [['', 'x']] }).problems['answer.headers']).toBe('Enter a header name.');
    expect(ruleOf({ ...draft, 'answer.headers': [['', '']] })).toEqual({ rule: { answer: {} }, problems: {} });
  });
});

describe('a list of rules', () => {
  test('has a name for each rule, and no name twice', () => {
    const drafts = [{ answer: {} }, { name: 'rule-1', answer: {} }, { name: 'b', answer: {} }].map(draftOf);
    expect(namesOf(drafts)).toEqual(['rule-1', 'rule-1', 'b']);
    const { problems } = rulesOf(drafts);
    expect([...problems]).toEqual([[drafts[1]?.key ?? -1, { name: 'rule-1 is already used by another rule.' }]]);
  });

  test('gives a copy a free name', () => {
    const draft = draftOf({ name: 'flaky-2', answer: {} });
    expect(copyOf(draft, ['flaky', 'flaky-2', 'flaky-3']).name).toBe('flaky-4');
    expect(copyOf(draftOf({ answer: {} }), []).name).toBe('');
  });

  test('moves a rule up and down', () => {
    const drafts = ['a', 'b', 'c'].map(name => draftOf({ name, answer: {} }));
    expect(namesOf(moved(drafts, 0, 1))).toEqual(['b', 'a', 'c']);
    expect(namesOf(moved(drafts, 2, 0))).toEqual(['c', 'a', 'b']);
  });
});

describe('a refusal of the server', () => {
  const drafts = ['a', 'b', 'odd "name") (x'].map(name => draftOf({ name, answer: {} }));
  const refused = (...problems: { path: string; message: string }[]) =>
    refusalOf(new ApiError(400, 'Wrong.', { error: 'wrong', problems }), drafts);

  test.each([
    ['rules[1].answer.headers[0]', 1, 'answer.headers'],
    ['rules[2].answer.status', 2, 'answer.status'],
    ['rules[0].rate', 0, 'rate.max'],
    ['rules[0].rate.perS', 0, 'rate.perS'],
    ['rules[1].answer', 1, 'answer.status'],
    ['rules[1].when', 1, 'when'],
  ])('at %s belongs to a field of the rule', (path, at, field) => {
    const { problems, message } = refused({ path, message: 'must be less' });
    expect([...problems]).toEqual([[drafts[at]?.key ?? -1, { [field]: 'Must be less.' }]]);
    expect(message).toBe('');
  });

  test('with several problems shows each, and a message for what belongs to no field', () => {
    const one = { path: 'rules[0].first', message: 'must be less' };
    expect(refused(one, { path: 'rules[0].name', message: 'is taken' }).problems.size).toBe(1);
    for (const path of ['rules', 'rules[9].first', 'rules[0].nothing', ''])
      expect(refused(one, { path, message: 'x' })).toMatchObject({ message: 'Wrong.' });
    expect(refusalOf(new Error('Forbidden.'), drafts)).toMatchObject({ message: 'Forbidden.' });
  });
});
