import { expect, test } from 'bun:test';
import { unknownPlaceholders } from './placeholders.ts';

test('what looks like a placeholder and is none is found', () => {
  expect(unknownPlaceholders('{{id}} {{ now }} {{header.X-Id}} {{query.a[0]}} {{body.a.b}} { {{x}')).toEqual([]);
  expect(unknownPlaceholders('{{uuid}} {{body}} {{header.}} {{uuid}} {{body.a b}}')).toEqual([
    '{{uuid}}',
    '{{body}}',
    '{{header.}}',
    '{{body.a b}}',
  ]);
});
