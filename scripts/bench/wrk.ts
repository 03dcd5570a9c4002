/* Full load with wrk: each connection sends the next delivery as soon as the last one is answered. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '../lib/payloads.ts';
import { deliveryRequest } from '../lib/wire.ts';

export type Load = { perSecond: number; p50Ms: number; p99Ms: number; requests: number };

/** @throws when wrk is not installed */
export function requireWrk(): void {
  if (!Bun.which('wrk')) throw new Error('wrk is not installed; on Debian and Ubuntu: apt-get install wrk');
}

/** @throws when a response is not 2xx or a connection fails, because the result would be meaningless */
export async function fullLoad(
  address: string,
  payloads: readonly Payload[],
  seconds: number,
  connections = 64,
): Promise<Load> {
  const dir = mkdtempSync(join(tmpdir(), 'hooktape-wrk-'));
  try {
    const requests = payloads.map(payload => deliveryRequest(address, payload));
    const files = [join(dir, 'requests'), join(dir, 'lengths')] as const;
    writeFileSync(files[0], Buffer.concat(requests));
    writeFileSync(files[1], requests.map(({ length }) => `${length}\n`).join(''));
    const script = join(import.meta.dir, 'requests.lua');
    const command = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, address, '--', ...files];
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
    const output = await child.stdout.text();
    const line = /^RESULT (.*)$/m.exec(output)?.[1];
    if ((await child.exited) !== 0 || line === undefined) throw new Error(`wrk failed:\n${output}`);
    const result = JSON.parse(line) as {
      requests: number;
      seconds: number;
      p50Ms: number;
      p99Ms: number;
      refused: number;
      broken: number;
    };
    if (result.refused + result.broken > 0)
      throw new Error(`wrk: ${result.refused} deliveries were refused and ${result.broken} connections failed`);
    return {
      perSecond: result.requests / result.seconds,
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      requests: result.requests,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
