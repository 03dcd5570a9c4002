/* What endpoints and teams cost that only exist: idle CPU and memory, the lists that show them, and a capture beside them. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { createApi } from '../lib/api.ts';
import { residentMegabytes, totalCpuMs } from '../lib/process.ts';
import { startRecorder, untilAtRest } from './recorder.ts';

export type Figure = { name: string; value: number; unit: string };

const idleSeconds = 10;
const requests = 20;
const captures = 2000;

export async function endpointFigures(binary: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of [1, 100, 1000, 10_000])
    figures.push(...(await measure(binary, `${count.toLocaleString('en-US')} endpoints`, 'team', count - 1)));
  return figures;
}

export const teamFigures = (binary: string): Promise<Figure[]> => measure(binary, '1,000 teams', 'teams', 1000);

/** @param kind whether the endpoints belong to the team that asks, or each to a team of its own */
async function measure(binary: string, label: string, kind: 'team' | 'teams', count: number): Promise<Figure[]> {
  const recorder = await startRecorder(binary);
  try {
    await recorder.server.end('SIGTERM');
    seed(join(recorder.installation.dataDir, 'hooktape.db'), kind, count);
    const server = await recorder.installation.start(await freePort());
    const api = createApi(server.origin, recorder.api.key);
    await api.get('/api/me');
    await untilAtRest({ api, server }, { withinMs: 120_000 });

    const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = totalCpuMs(server.pid);
      await work();
      return totalCpuMs(server.pid) - before;
    };
    const perRequest = async (path: string, etag?: string): Promise<number> => {
      const headers = { authorization: `Bearer ${api.key}`, ...(etag !== undefined && { 'if-none-match': etag }) };
      const ask = async (): Promise<number> => {
        const response = await fetch(server.origin + path, { headers });
        await response.arrayBuffer();
        return response.status;
      };
      // An earlier build does not have every operation.
      if (![200, 304].includes(await ask())) return Number.NaN;
      const times = etag === undefined ? requests : 10 * requests;
      return (
        (await cpuOf(async () => {
          for (let i = 0; i < times; i++) await ask();
        })) / times
      );
    };
    const etagOf = async (path: string): Promise<string | undefined> =>
      (await fetch(server.origin + path, { headers: { authorization: `Bearer ${api.key}` } })).headers.get('etag') ??
      undefined;

    const figures: Figure[] = [];
    const add = (name: string, value: number, unit: string): void => {
      if (!Number.isNaN(value)) figures.push({ name: `${label}: ${name}`, value, unit });
    };
    add('idle CPU', (await cpuOf(() => Bun.sleep(idleSeconds * 1000))) / idleSeconds, 'ms/s');
    add('idle memory', residentMegabytes(server.pid), 'MB');
    const address = server.origin + new URL(recorder.endpoint.url).pathname;
    const send = async (): Promise<void> => void (await fetch(address, { method: 'POST', body: '{"n":1}' }));
    for (let i = 0; i < captures / 10; i++) await send();
    add(
      'a capture',
      (await cpuOf(async () => {
        for (let i = 0; i < captures; i++) await send();
      })) / captures,
      'ms',
    );
    for (const [name, path] of [
      ['GET /api/endpoints', '/api/endpoints'],
      ['GET /api/overview', '/api/overview'],
    ] as const) {
      add(name, await perRequest(path), 'ms');
      const etag = await etagOf(path);
      if (etag !== undefined) add(`${name}, 304`, await perRequest(path, etag), 'ms');
    }
    add('memory after the lists', residentMegabytes(server.pid), 'MB');
    return figures;
  } finally {
    await recorder.remove();
  }
}

function seed(file: string, kind: 'team' | 'teams', count: number): void {
  if (count === 0) return;
  const database = new Database(file);
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)';
  if (kind === 'teams')
    database.run(`${numbers} INSERT INTO teams (id, plan, created_at) SELECT 'tm_' || i, 'pro', 1 FROM n`, [count]);
  const team = kind === 'teams' ? "'tm_' || i" : '(SELECT team_id FROM endpoints LIMIT 1)';
  database.run(
    `${numbers} INSERT INTO endpoints (id, team_id, name, token, created_at)
      SELECT printf('ep_%032d', i), ${team}, 'Endpoint ' || i, printf('%032d', i), i FROM n`,
    [count],
  );
  database.close();
}
