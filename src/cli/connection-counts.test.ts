import { expect, test } from 'bun:test';
import { connectionCounts } from './connection-counts.ts';

test.each([
  [64, 16],
  [200, 127],
  [1024, 848],
  [524_288, 523_728],
])('of %d file descriptors some are kept for everything else', (openFiles, total) => {
  const counts = connectionCounts(openFiles);
  expect(counts.total).toBe(total);
  expect(counts.perNetwork).toBe(Math.floor((total * 7) / 8));
});
