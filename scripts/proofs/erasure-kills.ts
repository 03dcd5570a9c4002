/*
 * Kills a server at random moments of erasures, starts it again, and looks for the text on the disk:
 * bun scripts/proofs/erasure-kills.ts [KILLS]. Ends with the counts; exit 1 if a finished erasure left the text.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeHits, scanFiles } from '../../src/testing/disk-scan.ts';

const kills = Number(process.argv[2] ?? 30);
const directory = mkdtempSync(join(tmpdir(), 'hooktape-erasure-'));
const port = 20_000 + Math.floor(Math.random() * 20_000);
const env = {
  ...process.env,
  HOOKTAPE_DATA_DIR: directory,
  HOOKTAPE_PORT: String(port),
  HOOKTAPE_SECRET: '0123456789abcdef0123456789abcdef01234567',
};
const base = `http://127.0.0.1:${port}`;
const command = (...args: string[]) =>
  Bun.spawnSync([process.execPath, 'src/main.ts', ...args], { env })
    .stdout.toString()
    .trim();
const start = async () => {
  const server = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], { env, stdout: 'ignore', stderr: 'ignore' });
  for (let n = 0; n < 600; n++) {
    const isReady = await fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return server;
    await Bun.sleep(50);
  }
  throw new Error('the server does not start');
};

command('account', 'create', 'a@example.org');
const key = command('key', 'create', 'k', '--account', 'a@example.org');
let server = await start();
const call = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const { body: endpoint } = await call('POST', '/api/endpoints', { name: 'e' });
const url = new URL(String(endpoint['url'])).pathname;
const counts = { kills: 0, done: 0, hits: 0, controls: 0, controlHits: 0 };
for (let round = 0; counts.kills < kills; round++) {
  const text = `erase-me-${round}@example.org`;
  for (let n = 0; n < 40; n++)
    await fetch(base + url, { method: 'POST', body: JSON.stringify({ n, email: n % 2 ? text : 'kept@example.org' }) });
  counts.controls++;
  if (scanFiles(directory, [text]).length > 0) counts.controlHits++;
  const erasing = call('POST', '/api/erasures', { text }).catch(() => undefined);
  await Bun.sleep(Math.random() * 400);
  server.kill('SIGKILL');
  await server.exited;
  counts.kills++;
  await erasing;
  server = await start();
  // 409: the job of before goes on. A new one finds nothing if that one was done.
  while ((await call('POST', '/api/erasures', { text })).status !== 200) await Bun.sleep(100);
  counts.done++;
  const hits = describeHits(scanFiles(directory, [text]));
  if (hits.length > 0) console.log(hits.join('\n'));
  counts.hits += hits.length;
}
console.log(JSON.stringify(counts));
server.kill();
await server.exited;
rmSync(directory, { recursive: true, force: true });
process.exit(counts.hits > 0 || counts.controlHits < counts.controls ? 1 : 0);
