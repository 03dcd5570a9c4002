import { describe, expect, test } from 'bun:test';
import { FilterError } from '../../../shared/filter/filter.ts';
import { parse } from './filter-text.ts';
import {
  boundsOf,
  describeTime,
  localMinute,
  localRangeOf,
  localTerm,
  periodTerm,
  rangeProblem,
  zoneName,
} from './time-range.ts';

const now = new Date(2026, 10, 22, 16).getTime();
const at = new Date(2026, 10, 22, 14, 5).getTime();
const end = new Date(2026, 10, 22, 15).getTime();
const local = { from: '2026-11-22T14:05', to: '2026-11-22T15:00' };

describe('a period as a term', () => {
  test('is written in UTC, without its end, and read back', () => {
    const term = periodTerm({ from: at, to: end });
    expect(term).toBe(`received:${new Date(at).toISOString().slice(0, 16)}Z..${new Date(end - 1).toISOString()}`);
    expect(boundsOf([term], now)).toEqual({ from: at, to: end });
    expect(boundsOf([periodTerm({ from: at, to: undefined })], now)).toEqual({ from: at, to: undefined });
    expect(periodTerm({ from: at + 5001, to: undefined })).toContain(':05.001Z..');
  });

  test('times of fields are local, and one may be missing', () => {
    for (const range of [local, { ...local, from: '' }, { ...local, to: '' }]) {
      const term = localTerm(range);
      expect(parse(term)).not.toBeInstanceOf(FilterError);
      expect(localRangeOf([term], now)).toEqual(range);
    }
    expect(localRangeOf(['type:a'], now)).toEqual({ from: '', to: '' });
    expect(localMinute(at)).toBe(local.from);
  });

  test('both may not be missing, and not in the wrong order', () => {
    expect(rangeProblem({ from: local.from, to: '' })).toBeUndefined();
    expect(rangeProblem({ from: '', to: '' })).toContain('Choose');
    expect(rangeProblem({ from: local.to, to: local.from })).toContain('after the start');
    expect(rangeProblem({ from: local.to, to: local.to })).toContain('after the start');
  });

  test('several terms leave what they have in common', () => {
    const utc = new Date(at).toISOString();
    expect(boundsOf([`received>=${utc}`, 'received>1h', 'type:a'], now)).toEqual({
      from: now - 3_600_000 + 1,
      to: undefined,
    });
    expect(boundsOf(['received<1h', `received<${utc}`], now)).toEqual({ from: undefined, to: at });
    expect(boundsOf(['-received>1h', 'received>1h OR type:a'], now)).toBeUndefined();
  });
});

describe('a term in words', () => {
  const utc = (time: number): string => new Date(time).toISOString();
  test.each([
    ['received>5m', 'in the last 5 minutes'],
    ['received>=1h', 'in the last hour'],
    ['received<2d', 'more than 2 days ago'],
    [periodTerm({ from: at, to: undefined }), 'Received 14:05 – now'],
    [periodTerm({ from: at, to: end }), 'Received 14:05 – 15:00'],
    [`received>=${utc(at)}`, 'Received 14:05 – now'],
    [`received>${utc(at)}`, 'Received 14:05 – now'],
    [`received<${utc(at)}`, 'Received before 14:05'],
    [periodTerm({ from: at - 86_400_000, to: end }), 'Received 21 Nov 14:05 – 22 Nov 15:00'],
    ['received>0', undefined],
    ['type:x', undefined],
    ['-received>5m', undefined],
    ['received>5m received<1m', undefined],
  ])('%s', (term, words) => expect(describeTime(term, now)).toBe(words));

  test('the zone of local times has a name', () => {
    expect(zoneName(at)).toContain(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });
});
