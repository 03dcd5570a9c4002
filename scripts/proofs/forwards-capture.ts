/*
 * `bun scripts/proofs/forwards-capture.ts [PER_SECOND] [SECONDS] [ROUNDS] [MODE]`: the time of deliveries at a constant rate,
 * alternately without a forward, with a forward whose destination is down, and with a forward that works off a backlog. Uses
 * dist/hooktape. Prints the 99th percentiles in ms, and the medians of their ratios.
 */
import { join } from 'node:path';
import type { Forward } from '../../src/features/forwards/model.ts';
import type { RateResult } from '../bench/constant-rate.ts';
import { type Recorder, startRecorder } from '../bench/recorder.ts';
import { median } from '../bench/statistics.ts';
import { until } from '../lib/process.ts';

const [rate = '50', seconds = '8', rounds = '3', mode = 'parallel'] = process.argv.slice(2);
const sentPerSecond = 1200;
const target = `let isDown = true;
  const http = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch(request) {
    if (request.method === 'PUT') isDown = !isDown;
    return new Response(null, { status: isDown ? 503 : 204 });
  } });
  console.log(http.port);`;

const destination = Bun.spawn([process.execPath, '-e', target], { stdout: 'pipe' });
const { value: port } = await destination.stdout.getReader().read();
const url = `http://127.0.0.1:${Number(new TextDecoder().decode(port))}/hook`;
const settings = { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' };
const without = await startRecorder(undefined, settings);
const forwarding = await startRecorder(undefined, settings);
const path = `/api/endpoints/${forwarding.endpoint.id}/forwards`;
const retry = { for: '24h', first: '1ms', max: '1ms' };
const created = { name: 'one', url, mode, retry, ...(mode === 'ordered' && { orderBy: 'header.x-lane' }) };
const { id } = (await (await forwarding.api.post(path, created)).json()) as Forward;
const show = async (): Promise<Forward> => (await (await forwarding.api.get(`${path}/${id}`)).json()) as Forward;

async function measure({ address }: Recorder): Promise<RateResult> {
  const script = join(import.meta.dir, '../bench/constant-rate.ts');
  const args = ['--address', address, '--rate', rate, '--seconds', seconds, '--connections', '16'];
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: 'pipe', stderr: 'inherit' });
  return JSON.parse(await child.stdout.text()) as RateResult;
}
async function deliver(count: number): Promise<void> {
  let left = count;
  const sender = async (): Promise<void> => {
    while (left-- > 0)
      await fetch(forwarding.address, {
        method: 'POST',
        headers: { 'x-lane': `${left % 16}`, 'content-type': 'application/json' },
        body: `{"n":${left}}`,
      });
  };
  await Promise.all(Array.from({ length: 8 }, sender));
}
const toggle = (): Promise<Response> => fetch(url, { method: 'PUT' });
const untilProbing = () =>
  until('the destination counts as down', 30_000, async () => (await show()).state === 'probing');

async function whileDraining(): Promise<RateResult> {
  const { waiting, failed } = await show();
  const wanted = sentPerSecond * (Number(seconds) + 2);
  await deliver(Math.max(0, wanted - waiting - failed));
  await Bun.sleep(500);
  const before = await show();
  await toggle();
  await forwarding.api.post(`${path}/${id}/retry`, {});
  const result = await measure(forwarding);
  const after = await show();
  await toggle();
  await deliver(1);
  if (after.waiting === 0) throw new Error('everything had been sent too early');
  const sent = before.waiting + before.failed - after.waiting - after.failed;
  console.log(`  sent ${Math.round(sent / (Number(seconds) + 1))}/s more than came`);
  return result;
}

await deliver(20);
const kinds = {
  none: () => measure(without),
  down: async () => {
    await untilProbing();
    return measure(forwarding);
  },
  draining: whileDraining,
};
const ratios = { down: [] as number[], draining: [] as number[] };
for (let round = 0; round < Number(rounds); round++) {
  const p99: Record<string, number> = {};
  for (const [name, run] of Object.entries(kinds)) {
    const { p50Ms, p99Ms, maxMs } = await run();
    p99[name] = p99Ms;
    console.log(name, `p50 ${p50Ms.toFixed(2)}`, `p99 ${p99Ms.toFixed(2)}`, `max ${maxMs.toFixed(1)}`);
  }
  for (const name of ['down', 'draining'] as const) ratios[name].push((p99[name] ?? 0) / (p99['none'] ?? 1));
}
console.log(`ratios: down ${median(ratios.down).toFixed(2)}, draining ${median(ratios.draining).toFixed(2)}`);
await without.remove();
await forwarding.remove();
destination.kill();
