/* Generates full load with wrk: each connection sends its next delivery as soon as it has a response. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '../lib/payloads.ts';
import { deliveryRequest } from '../lib/wire.ts';

export type Load = { perSecond: number; p50Ms: number; p99Ms: number; requests: number };

const burstTimeoutSeconds = 300;

/** @throws if wrk is missing. */
export function requireWrk(): void {
  if (!Bun.which('wrk')) throw new Error('wrk is not installed; on Debian and Ubuntu: apt-get install wrk');
}

/** @throws if a response was not 2xx or a connection failed, because the result would be meaningless */
export async function fullLoad(
  address: string,
  payloads: readonly Payload[],
  seconds: number,
  connections = 64,
): Promise<Load> {
  const output = await wrk(address, payloads, { seconds, connections });
  const { requests, seconds: taken, p50Ms, p99Ms } = resultOf(output);
  return { perSecond: requests / taken, p50Ms, p99Ms, requests };
}

/** Sends this number of deliveries at full load. @throws like `fullLoad`, and if it takes too long */
export async function burst(
  address: string,
  payloads: readonly Payload[],
  deliveries: number,
  connections = 64,
): Promise<{ seconds: number; perSecond: number }> {
  const output = await wrk(address, payloads, { seconds: burstTimeoutSeconds, connections, deliveries });
  resultOf(output);
  const seconds = Number(burstLine.exec(output)?.[1]);
  if (Number.isNaN(seconds)) throw new Error(`${deliveries} deliveries took longer than ${burstTimeoutSeconds} s`);
  return { seconds, perSecond: deliveries / seconds };
}

const burstLine = /^BURST (.*)$/m;

async function wrk(
  address: string,
  payloads: readonly Payload[],
  { seconds, connections, deliveries }: { seconds: number; connections: number; deliveries?: number },
): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'hooktape-wrk-'));
  try {
    const requests = payloads.map(payload => deliveryRequest(address, payload));
    const files = [join(dir, 'requests'), join(dir, 'lengths')] as const;
    writeFileSync(files[0], Buffer.concat(requests));
    writeFileSync(files[1], requests.map(({ length }) => `${length}\n`).join(''));
    const script = join(import.meta.dir, 'requests.lua');
    const count = deliveries === undefined ? [] : [String(deliveries), String(connections)];
    const child = Bun.spawn(
      ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, address, '--', ...files, ...count],
      { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
    );
    let output = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const before = output;
      output += decoder.decode(chunk, { stream: true });
      if (burstLine.test(output) && !burstLine.test(before)) child.kill('SIGINT');
    }
    if ((await child.exited) !== 0) throw new Error(`wrk failed:\n${output}`);
    return output;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

type Result = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  refused: number;
  broken: number;
};

function resultOf(output: string): Result {
  const line = /^RESULT (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk failed:\n${output}`);
  const result = JSON.parse(line) as Result;
  if (result.refused + result.broken > 0)
    throw new Error(`wrk: ${result.refused} deliveries were refused, ${result.broken} connections failed`);
  return result;
}
