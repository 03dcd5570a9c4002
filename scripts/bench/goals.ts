/*
 * Everything that the program is held to, in one run: each row with its goal, its figure, and where it makes sense the same of
 * something else that was measured in turn with it. `--baseline-binary` is an earlier program's executable; rows that are
 * about the difference from it have no ratio without one.
 */
import { parseArgs } from 'node:util';
import { diskRows } from './disk.ts';
import { captureRows } from './goals-capture.ts';
import { deviceRows } from './goals-device.ts';
import { latencyRows } from './goals-latency.ts';
import { loadRows } from './goals-load.ts';
import { memoryRows } from './goals-memory.ts';
import { readingRows } from './goals-reading.ts';
import { startRows } from './goals-start.ts';
import { chosenParts, reportName } from './parts.ts';
import type { Programs } from './peer.ts';
import { type Row, report } from './report.ts';
import { requireWrk } from './wrk.ts';

export type GoalOptions = {
  /** Length of one window of load. */
  seconds: number;
  rounds: number;
  /** Deliveries of a burst. */
  burst: number;
  /** Length of the load whose end is looked at. */
  loadSeconds: number;
  /** Of the histories that are read, and how often they are. */
  events: number;
  requests: number;
  baselineBinary: string | undefined;
  /** Where the peers are; undefined: nothing is measured beside them. */
  peerPrograms: Programs | undefined;
};

export type PartResult = {
  rows: Row[];
  details: Record<string, unknown>;
  /** Deliveries a second, for the parts that load a share of it. */
  sustainedRate?: number | undefined;
};

/**
 * What a part measures, with those of the options that it looks at.
 * @param sustainedRate undefined when it was not measured before
 */
export type Part<Used extends keyof GoalOptions> = (
  options: Pick<GoalOptions, Used>,
  sustainedRate?: number,
) => Promise<PartResult>;

const PARTS = {
  capture: captureRows,
  latency: latencyRows,
  disk: diskRows,
  load: loadRows,
  device: deviceRows,
  reading: readingRows,
  memory: memoryRows,
  start: startRows,
} satisfies Record<string, Part<keyof GoalOptions>>;
const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

export async function goals(args: string[]): Promise<void> {
  requireWrk();
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: NAMES.join() },
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
  const chosen = chosenParts(NAMES, values.only);
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
  // In the order above: the rate is measured before it is used.
  for (const name of NAMES.filter(one => chosen.includes(one))) {
    // An hour of the other parts is not lost with one.
    try {
      const part: PartResult = await PARTS[name](options, sustainedRate);
      sustainedRate ??= part.sustainedRate;
      rows.push(...part.rows);
      Object.assign(details, part.details);
    } catch (error) {
      console.error(`the part ${name} failed`, error);
      process.exitCode = 1;
    }
  }
  report(reportName('goals', NAMES, chosen), rows, details);
}
