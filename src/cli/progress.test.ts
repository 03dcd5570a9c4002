import { expect, test } from 'bun:test';
import { holdClock } from '../testing/clock.ts';
import { createProgress } from './progress.ts';

const draw = (isTerminal: boolean, total: number | undefined) => {
  const said: string[] = [];
  const clock = holdClock();
  return { said, clock, progress: createProgress({ isTerminal, clock, stderr: text => said.push(text) }, total) };
};

test('draws one line in place, at most ten times a second, and takes it away', () => {
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

test('without a known total only the note; without a terminal nothing', () => {
  const unknown = draw(true, undefined);
  unknown.progress.show(5, '7 events');
  expect(unknown.said).toEqual(['\r\x1b[K7 events']);
  const piped = draw(false, 10);
  piped.progress.show(5, '7 events');
  piped.progress.clear();
  expect(piped.said).toEqual([]);
});
