import { describe, expect, test } from 'bun:test';
import { FilterError } from '../../../shared/filter/filter.ts';
import { parse } from './filter-text.ts';
import {
  describeRange,
  describeTime,
  localMinute,
  localRangeOf,
  rangeProblem,
  rangeTerms,
  timePresets,
  zoneName,
} from './time-range.ts';

const at = new Date(2026, 10, 22, 14, 5).getTime();
const local = { from: '2026-11-22T14:05', to: '2026-11-22T15:00' };

describe('a time range', () => {
  test('local times are written in UTC, the end not included, and read back', () => {
    const terms = rangeTerms(local);
    const [from, to] = [at, new Date(2026, 10, 22, 15).getTime()].map(
      time => `${new Date(time).toISOString().slice(0, 19)}Z`,
    );
    expect(terms).toEqual([`received>=${from}`, `received<${to}`]);
    expect(localRangeOf(terms)).toEqual(local);
    const filter = parse(terms.join(' '));
    if (filter instanceof FilterError) throw filter;
    expect(filter.root).toMatchObject({ nodes: [{ range: { from: { at } } }, { range: { from: undefined } }] });
  });

  test('one end may be open, not both, and not in the wrong order', () => {
    expect(rangeTerms({ from: '', to: local.to })).toHaveLength(1);
    expect(rangeProblem({ from: local.from, to: '' })).toBeUndefined();
    expect(rangeProblem({ from: '', to: '' })).toContain('Choose');
    expect(rangeProblem({ from: local.to, to: local.from })).toContain('after the start');
    expect(rangeProblem({ from: local.to, to: local.to })).toContain('after the start');
  });

  test('presets are filters, and other terms have no local times', () => {
    for (const { term } of timePresets) expect(parse(term)).not.toBeInstanceOf(FilterError);
    expect(localRangeOf(['received>1h', 'received:2026-11-20'])).toEqual({ from: '', to: '' });
  });

  test('is described in words and local time', () => {
    expect(describeRange([])).toBe('any time');
    expect(describeRange(['received>1h'])).toBe('last hour');
    expect(describeRange(['received>3h'])).toBe('received>3h');
    expect(describeTime('received>=2026-11-22T13:05:00Z')).toMatch(/^received from .*2026/);
    expect(describeTime('received<2026-11-22T13:05:00.5+01:00')).toMatch(/^received before .*2026/);
    expect(describeTime('received>=2026-11-22')).toBeUndefined();
    expect(describeTime('type:x')).toBeUndefined();
    expect(zoneName(at)).toContain(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(localMinute(at)).toBe(local.from);
  });
});
