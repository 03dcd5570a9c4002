import { describe, expect, test } from 'bun:test';
import { groupByPath, type ReportedItem, type ReportedJob, readReport, reportAsMarkdown } from './comparison-report.ts';

const job: ReportedJob = {
  id: 'job_1',
  state: 'done',
  where: '',
  dest: 'http://a/',
  dest2: 'http://b/',
  ignore: [],
  compareHeaders: [],
  matched: 9,
  failed: 0,
  skipped: 0,
  same: 7,
  different: 2,
  createdAt: 0,
  finishedAt: 1000,
};
const item = (eventId: string, ...differences: ReportedItem['differences']): ReportedItem => ({
  eventId,
  outcome: 'different',
  status: 200,
  status2: 200,
  error: null,
  differences,
});

test('differences are grouped by path, an event counting once, those with most events first', () => {
  const groups = groupByPath([
    item('evt_1', { path: 'body.items.0.sku', left: 1, right: 2 }, { path: 'body.items.1.sku', left: 3, right: 4 }),
    item('evt_2', { path: 'status', left: 200, right: 500 }, { path: 'body.items.4.sku', left: 1, right: 2 }),
  ]);
  expect(groups.map(({ path, events, examples }) => [path, events, examples.length])).toEqual([
    ['body.items[].sku', 2, 3],
    ['status', 1, 1],
  ]);
});

describe('reading', () => {
  const pages = (total: number) => async (outcome: string, cursor: string | undefined) => {
    const from = Number(cursor ?? 0);
    const count = outcome === 'different' ? Math.min(2, total - from) : 0;
    const items = Array.from({ length: count }, (_, n) => item(`evt_${from + n}`, { path: 'x', left: 1, right: 2 }));
    return { items, nextCursor: from + count < total && outcome === 'different' ? `${from + count}` : null };
  };
  test.each([
    [5, 10, 5, false],
    [5, 5, 5, false],
    [5, 4, 4, true],
    [5, 3, 3, true],
  ])('%d events with a limit of %d: %d, truncated: %p', async (total, limit, kept, truncated) => {
    const report = await readReport(job, pages(total), limit);
    expect([report.items.length, report.truncated]).toEqual([kept, truncated]);
  });
});

test('hostile values cannot leave their code span, their table cell or their line', () => {
  const hostile = '`` | <img src=x> \n# heading \u202e [a](http://evil) \u001b[2J';
  const text = reportAsMarkdown({
    job: { ...job, dest: 'http://a/`|' },
    paths: groupByPath([item('evt_1', { path: `body.${hostile}`, left: hostile, right: null, missing: 'right' })]),
    items: [item('evt_1', { path: `body.${hostile}`, left: hostile, right: null, missing: 'right' })],
    truncated: false,
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(text.split('\n').filter(line => line.startsWith('#'))).toEqual([
    '# Comparison job_1',
    '## Differences by path',
    '## Events with different responses',
  ]);
  const row = text.split('\n').find(line => line.includes('| 1 |')) ?? '';
  expect(row.split(/(?<!\\)\|/)).toHaveLength(7);
  expect(Bun.markdown.html(text)).not.toContain('<img');
});

test.each(['a|b', 'a\\|b', 'a\\\\|b'])('%s in a cell ends no cell, whether or not a backslash can be escaped', path => {
  const text = reportAsMarkdown({
    job,
    paths: groupByPath([item('evt_1', { path, left: 1, right: 2 })]),
    items: [],
    truncated: false,
  });
  const row = text.split('\n').find(line => line.includes('| 1 |')) ?? '';
  const withEscapes = row.replace(/\\[\\|]/g, '');
  expect([row.split(/(?<!\\)\|/).length, withEscapes.split('|').length]).toEqual([7, 7]);
});

test('a report without differences says so', () => {
  const text = reportAsMarkdown({ job: { ...job, different: 0, same: 9 }, paths: [], items: [], truncated: false });
  expect(text).toContain('9 events: 9 the same, 0 different');
  expect(text).toContain('No differences.');
});
