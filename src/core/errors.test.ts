import { describe, expect, test } from 'bun:test';
import { AppError, inField, invalid, invalidAt, invalidInput, notFound } from './errors.ts';

const caught = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};
const refusing = (error: AppError) => (): never => {
  throw error;
};

describe('the problems of an error', () => {
  test('one about the input as a whole has an empty path', () => {
    expect(invalid('give either a or b').problems).toEqual([{ path: [], message: 'give either a or b' }]);
  });

  test('one about a field names it in its message, too', () => {
    const error = invalidAt(['channel', 'to'], 'required for email');
    expect([error.message, error.problems]).toEqual([
      'channel.to: required for email',
      [{ path: ['channel', 'to'], message: 'required for email' }],
    ]);
    expect(invalidAt(['name'], 'must not be empty').message).toBe('name must not be empty');
    expect(invalidAt(['cursor'], 'invalid', 'invalid cursor').message).toBe('invalid cursor');
  });

  test('several: the message is about the first', () => {
    const problems = [
      { path: ['rules', 0, 'status'], message: 'required' },
      { path: ['name'], message: 'must be a text' },
    ];
    const error = invalidInput('body', problems);
    expect([error.message, error.problems]).toEqual(['invalid body: rules[0].status: required', problems]);
  });

  test('an error that is not about input has none', () => {
    expect(notFound('endpoint').problems).toEqual([]);
  });
});

describe('inField', () => {
  test('returns what the reader returns', () => {
    expect(inField(['name'], () => 'a')).toBe('a');
  });

  test('puts the path before that of each problem, and keeps the details', () => {
    const error = new AppError('invalid', 'invalid where: no such field', {
      details: { position: 3, nearest: null },
      problems: [{ path: ['where'], message: 'no such field' }],
    });
    expect(caught(() => inField(['rules', 1], refusing(error)))).toMatchObject({
      code: 'invalid',
      message: 'rules[1].where: no such field',
      details: { position: 3, nearest: null },
      problems: [{ path: ['rules', 1, 'where'], message: 'no such field' }],
    });
  });

  test('leaves other errors as they are', () => {
    const error = notFound('endpoint');
    expect(caught(() => inField(['name'], refusing(error)))).toBe(error);
  });
});
