import { expect, test } from 'bun:test';
import { holdClock } from '../testing/clock.ts';
import { createProgress } from './progress.ts';

const draw = (isTerminal: boolean, total: number | undefined) => {
  const said: string[] = [];
  const clock = holdClock();
  return { said, clock, progress: createProgress({ isTerminal, clock, stderr: text => said.push(text) }, total) };
};

test('redraws one line, at most ten times per second, and removes it', () => {
  const { said, clock, progress } = draw(true, 200);
  progress.show(50, '7 events');
  progress.show(60, 'too soon');
  clock.advance(100);
  progress.show(200, 'all');
  progress.clear();
  expect(said).toEqual([
    `\r\x1b[K[${'#'.repeat(8)}${'·'.repeat(22)}]  25 %  7 events`,
    `\r\x1b[K[${'#'.repeat(30)}] 100 %  all`,
    '\r\x1b[K',
  ]);
});

test('shows only the note without a total, and nothing without a terminal', () => {
  const unknown = draw(true, undefined);
  unknown.progress.show(5, '7 events');
  expect(unknown.said).toEqual(['\r\x1b[K7 events']);
  const piped = draw(false, 10);
  piped.progress.show(5, '7 events');
  piped.progress.clear();
  expect(piped.said).toEqual([]);
});
