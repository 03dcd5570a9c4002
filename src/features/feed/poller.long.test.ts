/* The program in docs/feed.md that follows an endpoint: it misses nothing, however often it and the server are killed. */
import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../testing/free-port.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer } from '../../testing/test-server.ts';

const page = new URL('../../../docs/feed.md', import.meta.url);
const program = async (): Promise<string> => {
  const text = await Bun.file(page).text();
  return /poller\.long\.test\.ts\. -->\n```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
};
test.skipIf(!Bun.which('jq') || !Bun.which('curl'))(
  'the ten lines in docs/feed.md handle every event, through kills of the program and restarts of the server',
  async () => {
    const lines = (await program()).trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const work = mkdtempSync(join(tmpdir(), 'hooktape-poller-'));
    const seenFile = join(work, 'seen');
    writeFileSync(join(work, 'handle'), '#!/bin/sh\njq -r .payloadRaw >>seen\n');
    chmodSync(join(work, 'handle'), 0o700);
    const seen = (): string[] =>
      existsSync(seenFile) ? readFileSync(seenFile, 'utf8').trimEnd().split('\n').filter(Boolean) : [];

    const options = {
      directory,
      env: { HOOKTAPE_SECRET: 'the secret of this test, long enough' },
      port: await freePort(),
    };
    let server = await openTestServer(options);
    const ada = await server.createAccount();
    const endpoint = await ada.createEndpoint();
    const origin = await server.listen();
    const start = () =>
      Bun.spawn(['sh', '-c', lines.join('\n')], {
        cwd: work,
        env: { PATH: Bun.env['PATH'] ?? '', HOOKTAPE_URL: origin, HOOKTAPE_KEY: ada.key, ENDPOINT: endpoint.id },
        stdout: 'ignore',
        stderr: 'ignore',
        // A process group of its own, which is killed with its children.
        detached: true,
      });
    let poller: ReturnType<typeof start> | undefined;
    const kill = async (): Promise<void> => {
      if (!poller || poller.exitCode !== null || poller.signalCode !== null) return;
      process.kill(-poller.pid, 'SIGKILL');
      await poller.exited;
    };

    const sent: string[] = [];
    const deliver = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        const body = `event ${sent.length}`;
        await server.deliver(endpoint, body);
        sent.push(body);
      }
    };
    try {
      await deliver(3);
      poller = start();
      await eventually(() => seen().length >= 3, 20_000);
      for (const whileDown of [4, 5]) {
        const before = seen().length;
        await deliver(10);
        await eventually(() => seen().length > before, 20_000);
        await kill();
        await deliver(whileDown);
        poller = start();
        await server.close();
        server = await openTestServer(options);
        await server.listen();
        await deliver(2);
        await eventually(() => seen().includes(sent.at(-1) ?? ''), 20_000);
      }
    } finally {
      await kill();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    }
    // A kill repeats at most what was not put yet, so events come again, but none before one that was missed.
    expect([...new Set(seen())]).toEqual(sent);
    rmSync(work, { recursive: true, force: true });
  },
  90_000,
);
