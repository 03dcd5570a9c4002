/* The manual is true: every filter in it is one, and what it calls an error is one. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fields } from './fields.ts';
import { FilterError, termsOf } from './filter.ts';
import { parseFilter } from './parser.ts';

const manual = readFileSync(join(import.meta.dir, '../../../docs/filters.md'), 'utf8');

/** The cells of the tables whose first column has this title. */
function cells(title: string): string[][] {
  const rows: string[][] = [];
  let isInside = false;
  for (const line of manual.split('\n')) {
    if (line.startsWith(`| ${title} |`)) isInside = true;
    else if (!line.startsWith('|')) isInside = false;
    else if (isInside && !line.startsWith('|--'))
      rows.push(line.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')));
  }
  return rows;
}

const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('docs/filters.md', () => {
  const examples = cells('filter').map(([first]) => codes(first)[0] ?? '');

  test.each(examples)('%s is a filter', text => {
    expect(termsOf(parseFilter(text).root).length).toBeGreaterThan(0);
  });

  test.each(cells('not a filter').map(([wrong, right]) => [codes(wrong)[0] ?? '', codes(right)[0] ?? '']))(
    '%s is not a filter, but %s is',
    (wrong, right) => {
      expect(() => parseFilter(wrong)).toThrow(FilterError);
      expect(parseFilter(right).root).toBeDefined();
    },
  );

  test('has an example of every field', () => {
    expect(examples.length).toBeGreaterThan(40);
    for (const { name } of fields) expect(examples.some(example => example.includes(name))).toBe(true);
  });
});

test.each(fields.map(({ name, example }) => [example, name]))('the example %s is about %s', (example, name) => {
  expect(example.startsWith(name)).toBe(true);
  expect(termsOf(parseFilter(example).root)).toHaveLength(1);
});
