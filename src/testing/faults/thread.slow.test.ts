/* When a database thread dies, the process logs why and ends. It never hangs, and no delivery answered with 200 is lost. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplyMessage, RequestMessage } from '../../db/threads/messages.ts';
import type { SpawnThread } from '../../db/threads/prespawned-threads.ts';
import { hooktape, startServer } from '../command.ts';
import { spawnThread } from '../pooled-threads.ts';

/** Between two statements: libSQL aborts this process when the thread is gone by the time one returns. */
async function endThread(worker: Worker | undefined): Promise<void> {
  if (!worker) throw new Error('there is no thread');
  const closed = Promise.withResolvers<void>();
  const id = -1;
  worker.addEventListener('message', ({ data }: MessageEvent<ReplyMessage>) => {
    if ('id' in data && data.id === id) closed.resolve();
  });
  worker.postMessage({ id, kind: 'close' } satisfies RequestMessage);
  await closed.promise;
  worker.terminate();
}

describe.each(['writer', 'reader'] as const)('when the %s thread dies', name => {
  test('the process exits with 1 at once, and acknowledged deliveries are there after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-thread-'));
    const env = { HOOKTAPE_DATA_DIR: directory };
    const workers: Worker[] = [];
    const spawn: SpawnThread = which => {
      const worker = spawnThread(which);
      if (which === name) workers.push(worker);
      return worker;
    };
    const aborted = Promise.withResolvers<number>();
    try {
      const server = await startServer(env, { spawn, abort: aborted.resolve });
      await hooktape(env, 'account', 'create', 'a@example.com');
      const key = (await hooktape(env, 'key', 'create', 'k', '--account', 'a@example.com')).stdout.trim();
      const call = (origin: string, method: string, path: string, body?: string) =>
        fetch(origin + path, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body !== undefined && { body }),
        });
      const made = await call(server.origin, 'POST', '/api/endpoints', '{"name":"inbox"}');
      const { url } = (await made.json()) as { url: string };
      const deliver = () => fetch(server.origin + new URL(url).pathname, { method: 'POST', body: 'kept' });
      const { id } = (await (await deliver()).json()) as { id: string };

      await endThread(workers[0]);
      expect(await aborted.promise).toBe(1);
      if (name === 'writer') {
        const refused = await deliver();
        expect(refused.status).toBe(503);
        expect(refused.headers.get('retry-after')).toBeString();
      }
      expect((await server.stop()).stderr).toContain('database thread ended');

      const again = await startServer(env);
      expect(await (await call(again.origin, 'GET', `/api/events/${id}/raw`)).text()).toBe('kept');
      await again.stop();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }, 120_000);
});
