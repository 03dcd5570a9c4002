/*
 * Bytes written to the device per delivery at a low rate, which determines the wear of an SD card. The kernel counts them for a
 * loop device if one can be created, else for the process. The count for a process includes complete folios of the page cache,
 * so it may be ten times what reaches the device. The programs run at the same time, each on its own device.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Filesystem, makeFilesystem } from './filesystem.ts';
import { constantRate } from './generators.ts';
import type { Part } from './goal-part.ts';
import { type Program, programs, type Side, startRecorder, untilAtRest } from './recorder.ts';
import type { Row } from './report.ts';

const deliveriesPerSecond = 10;
/** A small number, so that the server does not close idle connections. */
const connectionCount = 4;

type Written = { deliveries: number; ofDevice: number | undefined; ofProcess: number };

export const deviceRows: Part<'seconds' | 'baselineBinary'> = async ({ seconds, baselineBinary }) => {
  const taken: Partial<Record<Side, Written>> = {};
  // Wait for all of them, so that each unmounts its file system.
  const done = await Promise.allSettled(
    programs(baselineBinary).map(async program => {
      taken[program.side] = await measure(program, seconds);
    }),
  );
  for (const result of done) if (result.status === 'rejected') throw result.reason;
  const { ours, baseline } = taken;
  if (!ours) throw new Error('the program was not measured');
  const row = (what: string, figure: keyof Written): Row => ({
    what: `${what} per delivery at ${deliveriesPerSecond}/s`,
    ours: ours[figure] ?? Number.NaN,
    ...(baseline && { baseline: baseline[figure] ?? Number.NaN, goal: { atMost: 0.5 } }),
    unit: 'bytes',
  });
  return {
    rows: [
      ours.ofDevice === undefined
        ? row('bytes that the process wrote', 'ofProcess')
        : row('bytes written to the device', 'ofDevice'),
    ],
    details: { device: taken },
  };
};

async function measure({ binary, side }: Program, seconds: number): Promise<Written> {
  const filesystem = makeFilesystem();
  try {
    const settings: Record<string, string> = filesystem ? { HOOKTAPE_DATA_DIR: join(filesystem.dir, 'data') } : {};
    const recorder = await startRecorder(binary, settings);
    try {
      // The first deliveries create files that are written only once.
      await constantRate(recorder.address, deliveriesPerSecond, 2, { connections: connectionCount, payload: 'orders' });
      await untilAtRest(recorder);
      const before = counters(recorder.server.pid, filesystem);
      const { answered } = await constantRate(recorder.address, deliveriesPerSecond, seconds, {
        connections: connectionCount,
        payload: 'orders',
      });
      await untilAtRest(recorder);
      const after = counters(recorder.server.pid, filesystem);
      // The generator also sends for a warm-up second that it does not measure.
      const deliveries = answered + deliveriesPerSecond;
      const written: Written = {
        deliveries,
        ofDevice: filesystem && (after.ofDevice - before.ofDevice) / deliveries,
        ofProcess: (after.ofProcess - before.ofProcess) / deliveries,
      };
      console.log(
        `${side.padEnd(8)}  ${deliveries} deliveries, bytes each: device ${written.ofDevice?.toFixed(0)}, process ${written.ofProcess.toFixed(0)}`,
      );
      return written;
    } finally {
      await recorder.remove();
    }
  } finally {
    filesystem?.remove();
  }
}

function counters(pid: number, filesystem: Filesystem | undefined): { ofDevice: number; ofProcess: number } {
  const ofDevice = filesystem?.written() ?? Number.NaN;
  const written = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
  return { ofDevice, ofProcess: Number(written) };
}
