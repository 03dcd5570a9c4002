/* Runs the constant-rate load generators, each in its own process. */
import { join } from 'node:path';
import type { RateResult } from './constant-rate.ts';

/** One run of constant-rate.ts. @throws if a delivery was refused, because the result would be meaningless */
export async function constantRate(
  address: string,
  rate: number,
  seconds: number,
  { connections = 64, payload = 'small' }: { connections?: number; payload?: 'small' | 'orders' | 'github' } = {},
): Promise<RateResult> {
  const result = await run('constant-rate.ts', { address, rate: rate.toFixed(0), seconds, connections, payload });
  if (result.refused > 0) throw new Error(`${result.refused} deliveries were refused at ${rate.toFixed(0)}/s`);
  return result;
}

/** One run of sync-loop.ts. @param bytes size of one delivery */
export const syncLoop = (rate: number, seconds: number, bytes: number): Promise<RateResult> =>
  run('sync-loop.ts', { rate: rate.toFixed(0), seconds, bytes });

async function run(script: string, options: Record<string, string | number>): Promise<RateResult> {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = [process.execPath, join(import.meta.dir, script), ...args];
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
  const output = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`${script} failed`);
  return JSON.parse(output) as RateResult;
}
