/*
 * The latency of the disk alone: writes and syncs the bytes of deliveries at a constant rate. All deliveries due at the end of one
 * write are written as the next group; latency is measured from the scheduled time to the end of the group's write. The file, in the
 * temporary directory, is preallocated with zeros, opened with O_DSYNC and overwritten from the start once it is full.
 *
 * Usage: sync-loop.ts --rate N --seconds N --bytes N. Prints one JSON line.
 */
import { closeSync, constants, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RateResult } from './constant-rate.ts';
import { percentile } from './statistics.ts';

const fileBytes = 64 * 2 ** 20;
const warmUpSeconds = 1;

if (import.meta.main) {
  const options = { rate: { type: 'string' }, seconds: { type: 'string' }, bytes: { type: 'string' } } as const;
  const { rate = '', seconds = '', bytes = '' } = parseArgs({ options }).values;
  const dir = mkdtempSync(join(tmpdir(), 'hooktape-sync-'));
  try {
    const file = preallocate(join(dir, 'groups'));
    const result = await write(file, { rate: Number(rate), seconds: Number(seconds), bytes: Number(bytes) });
    closeSync(file);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function preallocate(path: string): number {
  const plain = openSync(path, 'w');
  const zeros = new Uint8Array(2 ** 20);
  for (let at = 0; at < fileBytes; at += zeros.length) writeSync(plain, zeros, 0, zeros.length, at);
  fsyncSync(plain);
  closeSync(plain);
  return openSync(path, constants.O_WRONLY | constants.O_DSYNC);
}

async function write(
  file: number,
  { rate, seconds, bytes }: { rate: number; seconds: number; bytes: number },
): Promise<RateResult> {
  const total = Math.round(rate * (seconds + warmUpSeconds));
  const measuredFrom = rate * warmUpSeconds;
  const maxGroupSize = Math.floor(fileBytes / 4 / bytes);
  const group = crypto.getRandomValues(new Uint8Array(65_536));
  const payload = Buffer.alloc(maxGroupSize * bytes, group);
  const latencies: number[] = [];
  const finished = Promise.withResolvers<void>();
  const startedAt = performance.now();
  let written = 0;
  let at = 0;
  // Once a millisecond, like constant-rate.ts.
  const clock = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1);
    const count = Math.min(due - written, maxGroupSize);
    if (count <= 0) return;
    if (at + count * bytes > fileBytes) at = 0;
    writeSync(file, payload, 0, count * bytes, at);
    at += count * bytes;
    const now = performance.now();
    for (const end = written + count; written < end; written++)
      if (written >= measuredFrom) latencies.push(now - startedAt - (written * 1000) / rate);
    if (written === total) finished.resolve();
  }, 1);
  await finished.promise;
  clearInterval(clock);
  const sorted = latencies.sort((a, b) => a - b);
  return {
    answered: sorted.length,
    refused: 0,
    perSecond: total / ((performance.now() - startedAt) / 1000),
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    maxMs: sorted.at(-1) ?? Number.NaN,
  };
}
