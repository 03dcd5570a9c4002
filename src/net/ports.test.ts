import { expect, test } from 'bun:test';
import { isBlockedPort } from './ports.ts';

test('docs/replay.md lists exactly the blocked ports', async () => {
  const page = await Bun.file(new URL('../../docs/replay.md', import.meta.url)).text();
  const list = page.slice(page.indexOf('## Blocked ports')).match(/^[\d, \n]+\.$/m)?.[0] ?? '';
  const blocked = Array.from({ length: 65_536 }, (_, port) => port).filter(isBlockedPort);
  expect(list.match(/\d+/g)?.map(Number)).toEqual(blocked);
  expect([22, 5432, 80, 443, 3000, 8080].map(isBlockedPort)).toEqual([true, true, false, false, false, false]);
});
