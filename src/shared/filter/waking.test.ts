import { describe, expect, test } from 'bun:test';
import { parseFilter } from './parser.ts';
import { createWakingTest } from './waking.ts';

const events = {
  usual: { refused: null, verdict: 'valid' },
  unknown: { refused: null, verdict: null },
  refused: { refused: 403, verdict: 'none' },
  invalid: { refused: null, verdict: 'invalid' },
  both: { refused: 403, verdict: 'invalid' },
};
const wakingOf = (where: string): string[] => {
  const wakes = createWakingTest(parseFilter(where));
  return Object.entries(events).flatMap(([name, event]) => (wakes(event) ? [name] : []));
};

describe('what wakes', () => {
  const cases: [where: string, waking: string][] = [
    ['', 'usual unknown'],
    ['type:order.* is:pinned', 'usual unknown'],
    // Texts that only look like the terms.
    ['"is:refused" body.verdict:invalid', 'usual unknown'],
    ['is:refused', 'usual unknown refused'],
    ['verdict:invalid', 'usual unknown invalid'],
    ['verdict:valid', 'usual unknown invalid'],
    ['-verdict:none', 'usual unknown invalid'],
    ['type:a OR (NOT is:refused)', 'usual unknown refused'],
    ['is:refused OR verdict:invalid', 'usual unknown refused invalid both'],
  ];
  test.each(cases)('%p', (where, waking) => {
    expect(wakingOf(where).join(' ')).toBe(waking);
  });
});
