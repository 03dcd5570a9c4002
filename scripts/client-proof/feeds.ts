/* The feeds of both libraries read each event once and in order, while the server is killed under load. */
import { join } from 'node:path';
import { type Checks, ensure } from '../lib/checks.ts';
import { run } from '../test-clients/workspace.ts';
import type { Proof } from './project.ts';

const deliveries = 2000;
const kills = 8;
const senders = 8;

export async function checkFeeds(checks: Checks, proof: Proof): Promise<void> {
  await checks.check(
    `feeds: ${deliveries} events through ${kills} kills of the server, each once and in order`,
    async () => {
      const { server, key, restart } = proof;
      const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
        const init = { method, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } };
        const response = await fetch(
          server.origin + path,
          body === undefined ? init : { ...init, body: JSON.stringify(body) },
        );
        return (await response.json()) as Record<string, unknown>;
      };
      const { id, path } = (await call('POST', '/api/endpoints', { name: 'feeds' })) as { id: string; path: string };
      const args = [server.origin, key, id];
      const readers = [
        run(['node', 'read-feed.mjs', ...args], { cwd: await proof.npmProject(), minutes: 5 }),
        run([await proof.python(), join(import.meta.dir, 'read_feed.py'), ...args], {
          cwd: import.meta.dir,
          minutes: 5,
        }),
      ];
      const acknowledged: string[] = [];
      /** Sends an event until it is acknowledged. If a kill prevents the response, the event may be stored twice. */
      const deliver = async (suffix: string, body: string): Promise<void> => {
        for (;;) {
          // A kill may also truncate the response.
          const id = await fetch(`${server.origin}${path}${suffix}`, { method: 'POST', body })
            .then(async response => (response.ok ? ((await response.json()) as { id: string }).id : undefined))
            .catch(() => undefined);
          if (id !== undefined) return void acknowledged.push(id);
          await Bun.sleep(20);
        }
      };
      let sent = 0;
      const sending = Array.from({ length: senders }, async () => {
        while (sent < deliveries) await deliver('', JSON.stringify({ n: sent++, text: 'x'.repeat(300) }));
      });
      for (let kill = 1; kill <= kills; kill++) {
        while (acknowledged.length < (deliveries * kill) / (kills + 1)) await Bun.sleep(5);
        await restart();
      }
      await Promise.all(sending);
      await deliver('/last', '{}');

      const stored: string[] = [];
      for (let cursor = ''; ; ) {
        const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page = (await call('GET', `/api/events?endpointId=${id}&limit=100${query}`)) as {
          events: { id: string }[];
          nextCursor: string | null;
        };
        stored.push(...page.events.map(event => event.id));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      for (const reader of readers) {
        const ids = (await reader).trim().split('\n');
        ensure(ids.length === stored.length, `read ${ids.length} events of ${stored.length}`);
        ensure(ids.toSorted().join() === stored.toSorted().join(), 'the feed has other events than the list');
        ensure(
          acknowledged.every(one => ids.includes(one)),
          'an acknowledged delivery is missing',
        );
      }
      const [one, two] = await Promise.all(readers);
      ensure(one === two, 'the libraries read in different orders');
      return `${stored.length} stored`;
    },
  );
}
