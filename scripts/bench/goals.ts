/*
 * All performance goals in one run. Each row has a goal, the measured value and, where it makes sense, the same value of a baseline
 * measured in alternation. `--baseline-binary` is the executable of an earlier release; without it, the rows that compare with that
 * release have no ratio.
 */

import { parseArgs } from 'node:util';
import { diskRows } from './disk.ts';
import type { GoalOptions, Part, PartResult } from './goal-part.ts';
import { captureRows } from './goals-capture.ts';
import { deviceRows } from './goals-device.ts';
import { latencyRows } from './goals-latency.ts';
import { loadRows } from './goals-load.ts';
import { memoryRows } from './goals-memory.ts';
import { readingRows } from './goals-reading.ts';
import { startRows } from './goals-start.ts';
import { subscriptionRows } from './goals-subscriptions.ts';
import { chosenParts, reportName } from './parts.ts';
import { type Row, report } from './report.ts';
import { requireWrk } from './wrk.ts';

const allParts = {
  capture: captureRows,
  latency: latencyRows,
  disk: diskRows,
  load: loadRows,
  device: deviceRows,
  reading: readingRows,
  memory: memoryRows,
  start: startRows,
  subscriptions: subscriptionRows,
} satisfies Record<string, Part<keyof GoalOptions>>;
const partNames = Object.keys(allParts) as (keyof typeof allParts)[];

export async function goals(args: string[]): Promise<void> {
  requireWrk();
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: partNames.join() },
      seconds: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '3' },
      burst: { type: 'string', default: '100000' },
      'load-seconds': { type: 'string', default: '420' },
      events: { type: 'string', default: '1000000' },
      requests: { type: 'string', default: '500' },
      'baseline-binary': { type: 'string' },
      'request-baskets': { type: 'string' },
    },
  });
  const chosen = chosenParts(partNames, values.only);
  const peer = values['request-baskets'];
  const options: GoalOptions = {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    burst: Number(values.burst),
    loadSeconds: Number(values['load-seconds']),
    events: Number(values.events),
    requests: Number(values.requests),
    baselineBinary: values['baseline-binary'],
    peerPrograms: peer === undefined ? {} : { 'request-baskets': peer },
  };
  const rows: Row[] = [];
  const details: Record<string, unknown> = { ...options };
  let sustainedRate: number | undefined;
  // In declaration order: `capture` measures the rate that later parts use.
  for (const name of partNames.filter(one => chosen.includes(one))) {
    // A part that fails must not lose the results of the others.
    try {
      const part: PartResult = await allParts[name](options, sustainedRate);
      sustainedRate ??= part.sustainedRate;
      rows.push(...part.rows);
      Object.assign(details, part.details);
    } catch (error) {
      console.error(`the part ${name} failed`, error);
      process.exitCode = 1;
    }
  }
  report(reportName('goals', partNames, chosen), rows, details);
}
