import { describe, expect, test } from 'bun:test';
import { AppError } from '../errors.ts';
import { problemText } from '../field-problems.ts';
import { readFields } from '../read-fields.ts';
import type { AnswerRule } from './model.ts';
import { readRules } from './rules.ts';
import { AnswerRules } from './schema.ts';

/** The first problem that the schema or the rules have with them. */
const problemOf = (...rules: AnswerRule[]): string => {
  const form = readFields(AnswerRules, { rules });
  if ('problems' in form) return form.problems.map(problemText)[0] ?? '';
  try {
    readRules({ rules });
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return error.message;
    throw error;
  }
  return '';
};

describe('readRules', () => {
  test('fills in names, scopes and statuses', () => {
    const { given } = readRules({
      rules: [
        { answer: {} },
        { name: 'b', per: 'delivery', answer: { status: 503 } },
        { rate: { max: 1, perS: 1 }, answer: {} },
      ],
    });
    expect(given).toEqual([
      { name: 'rule-1', per: 'endpoint', answer: { status: 200 } },
      { name: 'b', per: 'delivery', answer: { status: 503 } },
      { name: 'rule-3', per: 'endpoint', rate: { max: 1, perS: 1 }, answer: { status: 429 } },
    ]);
    // The result can be set again.
    expect(readRules({ rules: given }).given).toEqual(given);
  });

  test('an error names the rule and the field', () => {
    expect(problemOf({ answer: {} }, { first: 0, answer: {} })).toBe(
      'rules[1].first must be a whole number from 1 to 1000000',
    );
    expect(problemOf({ name: 'a', answer: {} }, { name: 'a', answer: {} })).toBe(
      'rules[1].name: another rule is called "a", too',
    );
    expect(problemOf({ name: 'rule-2', answer: {} }, { answer: {} })).toContain('rules[1].name');
    expect(problemOf({ when: 'tpye:x', answer: {} })).toBe(
      'rules[0].when: there is no field "tpye"; did you mean type?',
    );
    expect(problemOf({ when: 'attempt>1', answer: {} })).toContain('"per": "delivery"');
  });

  test.each<[string, AnswerRule]>([
    ['chance', { chance: 1.1, answer: {} }],
    ['chance', { chance: Number.NaN, answer: {} }],
    ['every', { every: 1.5, answer: {} }],
    ['rate.max', { rate: { max: 0, perS: 1 }, answer: {} }],
    ['rate.perS', { rate: { max: 1, perS: 0 }, answer: {} }],
    ['answer.status', { answer: { status: 199 } }],
    ['answer.status', { answer: { status: 600 } }],
    ['answer.delayMs', { answer: { delayMs: 60_001 } }],
    ['answer.delayMs', { answer: { delayMs: -1 } }],
    ['answer.body', { answer: { body: 'x'.repeat(64 * 1024 + 1) } }],
    ['answer.body', { answer: { body: 'no base64', bodyEncoding: 'base64' } }],
    ['name', { name: '', answer: {} }],
    ['name', { name: 'a\nb', answer: {} }],
    ['name', { name: 'x'.repeat(65), answer: {} }],
  ])('a wrong %s is refused: %j', (field, rule) => {
    expect(problemOf(rule)).toStartWith(`rules[0].${field}`);
  });

  test.each([
    'Set-Cookie',
    'clear-site-data',
    'Service-Worker-Allowed',
    'Strict-Transport-Security',
    'Access-Control-Allow-Origin',
    'access-control-anything',
    'Connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'TE',
    'Trailer',
    'Upgrade',
    'Proxy-Authenticate',
    'Content-Length',
    'Content-Security-Policy',
    'X-Content-Type-Options',
    'Cross-Origin-Resource-Policy',
    'NEL',
    'Use-As-Dictionary',
    'X-Accel-Redirect',
    'X-Sendfile',
    'X-Lighttpd-Send-File',
    'Bad Name',
    'Bad:Name',
    '',
  ])('the header %j is refused', name => {
    expect(problemOf({ answer: { headers: [[name, 'x']] } })).toContain('answer.headers');
  });

  test.each([
    'multipart/x-mixed-replace; boundary=a',
    'MULTIPART/X-MIXED-REPLACE;boundary=a',
    ' multipart/x-mixed-replace',
    'multipart /x-mixed-replace',
    'text/plain, multipart/mixed; boundary=a',
    'text/plain;multipart/mixed',
    'multipart/form-data; boundary=a',
    'message/rfc822',
    'message/http',
    'application/http; msgtype=response',
    'application/signed-exchange;v=b3',
  ])('the type %j is refused, because its parts have headers of their own', type => {
    expect(problemOf({ answer: { headers: [['content-TYPE', type]] } })).toBe(
      'rules[0].answer.headers[0]: "content-TYPE" cannot be a type whose parts have headers of their own, such as multipart/*',
    );
  });

  test.each(['text/html', 'application/http-problem+json', 'application/x-multipart', 'application/vnd.message+json'])(
    'the type %s is allowed',
    type => expect(problemOf({ answer: { headers: [['Content-Type', type]] } })).toBe(''),
  );

  test.each(['a\r\nSet-Cookie: b', 'a\n', '\r', 'a\0', 'é\u0100'])('the value %j is refused', value => {
    expect(problemOf({ answer: { headers: [['X-A', value]] } })).toContain('answer.headers');
  });

  test('headers that change nothing for browsers are allowed', () => {
    const headers: [string, string][] = [
      ['Retry-After', '5'],
      ['Location', 'https://example.com/'],
      ['WWW-Authenticate', 'Basic'],
      ['X-A', 'caf\xe9\t1'],
    ];
    expect(problemOf({ answer: { headers } })).toBe('');
  });

  test('there are at most 50 rules', () => {
    expect(problemOf(...Array.from({ length: 51 }, () => ({ answer: {} })))).toContain('at most 50');
  });

  test('placeholders that are not for senders are refused in new rules, and text in stored ones', () => {
    const rule = { answer: { body: 'see {{truncate 9 endpoint}}' } };
    expect(problemOf(rule)).toContain('{{truncate 9 endpoint}} is not for answers');
    expect(problemOf({ answer: { body: 'e30=', bodyEncoding: 'base64' } })).toBe('');
    const [stored] = readRules({ rules: [rule] }, true).active;
    expect(Buffer.from(stored?.answer.body as Uint8Array).toString()).toBe(rule.answer.body);
  });
});
