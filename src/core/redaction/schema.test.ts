/* The checks of redaction rules, and the names of what they refuse. */
import { describe, expect, test } from 'bun:test';
import { problemText } from '../field-problems.ts';
import { readFields } from '../read-fields.ts';
import { checkRedaction, GivenRedaction } from './schema.ts';

const problemsOf = (value: unknown): string[] => {
  const read = readFields(GivenRedaction, value);
  if ('problems' in read) return read.problems.map(problemText);
  const checked = checkRedaction(read.value);
  return 'problems' in checked ? checked.problems.map(problemText) : [];
};

describe('redaction rules', () => {
  test('defaults are filled in', () => {
    expect(checkRedaction({})).toEqual({ redaction: { rules: [], otherBodies: 'drop', originalHash: 'drop' } });
  });

  test.each([
    'email',
    'data.customer.email',
    'items[].card',
    'items[0].card',
    '[].card',
    '"order.id"',
    '*.email',
    '*."order.id"',
    '*.customer.email',
    'user[name]',
    '"*"',
  ])('the path %p is accepted', path => {
    expect(problemsOf({ rules: [{ in: 'body', path, with: 'remove' }] })).toEqual([]);
  });

  test.each([
    [{ in: 'body', path: '', with: 'mask' }, 'rules[1].path must not be empty'],
    [{ in: 'body', path: 'a..b', with: 'mask' }, 'rules[1].path must be a path such as'],
    [{ in: 'body', path: '*.', with: 'mask' }, 'rules[1].path must be a path such as'],
    [{ in: 'body', path: 'items.*.card', with: 'mask' }, 'items[] means all items'],
    [{ in: 'body', path: '"open', with: 'mask' }, 'rules[1].path must be a path'],
    [{ in: 'body', path: 'a\nb', with: 'mask' }, 'rules[1].path must be a text on one line'],
    [{ in: 'header', path: 'x shop', with: 'mask' }, 'rules[1].path must be the name of a header'],
    [{ in: 'query', path: '*.page', with: 'mask' }, 'rules[1].path must be the name of a query parameter'],
    [{ in: 'cookie', path: 'a', with: 'mask' }, 'rules[1].in must be body, header or query'],
    [{ in: 'body', with: 'mask' }, 'rules[1].path: required'],
    [{ path: 'a', with: 'mask' }, 'rules[1].in: required'],
    [{ with: 'mask' }, 'rules[1] must have either in and path, or detect'],
    [{ detect: 'phone', with: 'mask' }, 'rules[1].detect must be card, email or ip'],
    [{ detect: 'card', in: 'body', with: 'mask' }, 'rules[1].in must be left out beside detect'],
    [{ detect: 'card', with: 'drop' }, 'rules[1].with must be remove, mask or hash'],
    [{ detect: 'card' }, 'rules[1].with: required'],
    [{ detect: 'card', with: 'mask', when: '' }, 'rules[1].when: no such field'],
  ])('%p is refused', (rule, problem) => {
    const [first = ''] = problemsOf({ rules: [{ detect: 'ip', with: 'remove' }, rule] });
    expect(first).toContain(problem);
  });

  test('51 rules are refused', () => {
    const rules = Array.from({ length: 51 }, () => ({ detect: 'ip', with: 'remove' }));
    expect(problemsOf({ rules })).toEqual(['rules must have at most 50 elements']);
    expect(problemsOf({ rules: rules.slice(1) })).toEqual([]);
  });
});
