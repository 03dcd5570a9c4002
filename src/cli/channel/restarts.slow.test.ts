/* `hooktape channel` while its server restarts. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer } from '../../features/consumers/model.ts';
import { openChannel } from '../../testing/channel-client.ts';
import { freePort } from '../../testing/free-port.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer } from '../../testing/test-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'hooktape-channel-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a session goes on: each event once, and what was done meanwhile is saved', async () => {
  const port = await freePort();
  const restart = () => openTestServer({ directory, port });
  let server = await restart();
  const { key, ...ada } = await server.createAccount();
  const inbox = await ada.createEndpoint('inbox');
  const call = async <T>(path: string): Promise<T> =>
    (await server.fetch(path, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<T>;
  const url = await server.listen();
  const client = await openChannel({ HOOKTAPE_URL: url, HOOKTAPE_KEY: key }, ['inbox', '--as', 'agent']);
  try {
    const ids = [await server.deliver(inbox, '{"n":1}'), await server.deliver(inbox, '{"n":2}')];
    await client.untilPushed(2);
    await server.close();
    expect(await client.call('done', { id: ids[0] })).toMatch(
      /^Done\. The position is not saved yet; saving is retried: .*refused$/,
    );
    server = await restart();
    await server.listen();
    ids.push(await server.deliver(inbox, '{"n":3}'));
    await client.untilPushed(3);
    await server.close();
    server = await restart();
    await server.listen();
    ids.push(await server.deliver(inbox, '{"n":4}'));
    await client.untilPushed(4);
    expect(client.ids()).toEqual(ids);
    const behind = async () => (await call<Consumer>(`/api/endpoints/${inbox.id}/consumers/agent`)).behind;
    await eventually(async () => (await behind()) === 3);
    const { exitCode, stderr } = await client.end();
    expect(exitCode).toBe(0);
    expect(stderr).toContain('trying again\n');
    expect(stderr).toContain(`connected to ${url} again\n`);
  } finally {
    await client.kill();
    await server.close();
  }
}, 120_000);
