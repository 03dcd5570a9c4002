/* Server and agent are killed in turn while events arrive; and an agent that never finishes anything. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer } from '../../features/consumers/model.ts';
import { type ChannelClient, openChannel } from '../../testing/channel-client.ts';
import { openClientHarness } from '../../testing/client-commands.ts';
import { freePort } from '../../testing/free-port.ts';
import { eventually, stableCount } from '../../testing/poll.ts';
import { startServerProcess } from '../../testing/server-process.ts';

const fromSource = [process.execPath, join(import.meta.dir, '../../main.ts')];
const directory = mkdtempSync(join(tmpdir(), 'hooktape-channel-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = (env: Record<string, string>, ...args: string[]): string => {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...fromSource, ...args], { env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString().trim();
};

test('no event is lost, and none that is done comes again', async () => {
  const port = await freePort();
  const local = { HOOKTAPE_DATA_DIR: directory };
  const url = `http://127.0.0.1:${port}`;
  const startServer = () => startServerProcess(fromSource, directory, port, { HOOKTAPE_RATE_LIMIT: '100000' });
  let server = await startServer();
  run(local, 'account', 'create', 'ada@example.com');
  const env = { HOOKTAPE_URL: url, HOOKTAPE_KEY: run(local, 'key', 'create', 'agent', '--account', 'ada@example.com') };
  const ingestUrl = run(env, 'endpoint', 'create', 'inbox').replace('localhost', '127.0.0.1');
  let client: ChannelClient = await openChannel(env, ['inbox']);

  const behind = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${env.HOOKTAPE_KEY}` };
    const get = async (path: string) => (await fetch(`${url}${path}`, { headers })).json();
    const { endpoints } = (await get('/api/endpoints')) as { endpoints: { id: string }[] };
    const { consumers } = (await get(`/api/endpoints/${endpoints[0]?.id}/consumers`)) as { consumers: Consumer[] };
    return consumers[0]?.behind ?? -1;
  };
  const sent: string[] = [];
  const pushed = new Set<string>();
  /** Events that were done, and the position was saved. */
  const done = new Set<string>();
  const again: string[] = [];
  let isEnding = false;
  const sending = (async () => {
    for (let n = 0; !isEnding || sent.length < 60; n++) {
      const response = await fetch(ingestUrl, { method: 'POST', body: `{"n":${n}}` }).catch(() => undefined);
      if (response?.ok) sent.push(((await response.json()) as { id: string }).id);
      await Bun.sleep(15);
    }
  })();
  /** Finishes each event that the client gets, in order, until the client is killed. */
  const work = async (own: ChannelClient): Promise<void> => {
    for (let at = 0; own === client; at++) {
      while (own === client && own.ids().length <= at) await Bun.sleep(5);
      const id = own.ids()[at];
      if (id === undefined || own !== client) return;
      if (done.has(id)) again.push(id);
      pushed.add(id);
      // While the server is down, the position cannot be saved.
      while (own === client && !done.has(id)) {
        const answer = await Promise.race([own.call('done', { id }), own.gone]);
        if (answer === 'Done.') done.add(id);
        else await Bun.sleep(50);
      }
    }
  };
  void work(client);
  try {
    for (let round = 0; round < 6; round++) {
      const target = done.size + 5;
      await eventually(() => done.size >= target);
      if (round % 2 === 0) {
        server.kill('SIGKILL');
        await server.exited;
        server = await startServer();
      } else {
        await client.kill();
        client = await openChannel(env, ['inbox', ...(round === 1 ? ['--where', 'body.n>=0'] : [])]);
        void work(client);
      }
    }
    isEnding = true;
    await sending;
    // An answer that a kill took away: the event is done all the same.
    await eventually(async () => sent.every(id => pushed.has(id)) && (await behind()) === 0);
    expect(again).toEqual([]);
  } finally {
    isEnding = true;
    await client.kill();
    server.kill('SIGKILL');
    await server.exited;
  }
}, 180_000);

test('an agent that finishes nothing gets about 1,000 events, and further ones when it has finished some', async () => {
  const harness = await openClientHarness();
  try {
    const inbox = await harness.json<{ url: string }>('endpoint', 'create', 'inbox');
    const client = await openChannel(harness.env, ['inbox']);
    const ids: string[] = [];
    for (let n = 0; n < 1300; n++) ids.push(await harness.server.deliver(inbox, `{"n":${n}}`));
    await client.untilPushed(1000);
    const pushed = await stableCount(() => client.ids().length);
    expect(pushed).toBeLessThan(1100);
    for (const id of ids.slice(0, 350)) await client.call('done', { id });
    await client.untilPushed(1300);
    expect(client.ids()).toEqual(ids);
    await client.kill();
  } finally {
    await harness.close();
  }
}, 180_000);
