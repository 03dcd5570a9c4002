import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { hooktape } from '../testing/command.ts';

test('an unexpected response is reported with its likely cause', async () => {
  const server = createServer(socket => socket.destroy());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { exitCode, stderr } = await hooktape({ HOOKTAPE_PORT: String(port) }, 'health');
  server.close();
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^not ready: http://127\\.0\\.0\\.1:${port}/readyz: .*closed`)),
  ]);
  expect(stderr).not.toContain('fetch()');
});
