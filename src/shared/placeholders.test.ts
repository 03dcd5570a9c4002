import { expect, test } from 'bun:test';
import { readTemplate, teamPlaceholders, unknownPlaceholders } from './placeholders.ts';

test('what looks like a placeholder and is none is found', () => {
  expect(
    unknownPlaceholders(
      '{{id}} {{ now }} {{header.X-Id}} {{query.a[0]}} {{body.a.b}} {{json body.a}} {{json body}} {{truncate 9 raw}} { {{x',
    ),
  ).toEqual([]);
  const unknown = ['{{uuid}}', '{{body}}', '{{header.}}', '{{body.a b}}', '{{json id}}', '{{truncate 1000000 raw}}'];
  expect(unknownPlaceholders([...unknown, ...unknown].join(' '))).toEqual(unknown);
});

test('placeholders of the team are text to strangers', () => {
  const text = '{{id}} {{ link }} {{truncate 3 endpoint}} {{link}}{{ link }}';
  expect(teamPlaceholders(text)).toEqual(['{{ link }}', '{{truncate 3 endpoint}}', '{{link}}']);
  const id = { source: 'id', name: '' } as const;
  expect(readTemplate(text, 'strangers')).toEqual([id, text.slice('{{id}}'.length)]);
  expect(readTemplate('{{id}}{{link}}', 'team')).toEqual([id, { source: 'link', name: '' }]);
});
