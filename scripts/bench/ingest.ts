/*
 * A shorter version of goals.ts, to run before and after a change: durable deliveries per second compared with a bare node:http
 * server, disk usage, and the cost of single parts of the program (switches.ts, backup.ts, redaction.ts).
 */
import { parseArgs } from 'node:util';
import { githubPayloads, orderPayloads, smallPayload } from '../lib/payloads.ts';
import { backupRows } from './backup.ts';
import { diskRows } from './disk.ts';
import type { PartResult } from './goal-part.ts';
import { captureRows } from './goals-capture.ts';
import { latencyRows } from './goals-latency.ts';
import { memoryRows } from './goals-memory.ts';
import { chosenParts, reportName } from './parts.ts';
import { redactionRows } from './redaction.ts';
import { type Row, report } from './report.ts';
import { switchRows } from './switches.ts';
import { requireWrk } from './wrk.ts';

const allParts = ['load', 'disk', 'switches', 'backup', 'redaction'] as const;

export async function ingest(args: string[]): Promise<void> {
  requireWrk();
  const options = {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    soak: { type: 'string', default: '60' },
    only: { type: 'string', default: allParts.join() },
    'baseline-binary': { type: 'string' },
  } as const;
  const { values } = parseArgs({ args, options });
  const chosen = chosenParts(allParts, values.only);
  const windows = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  const rows: Row[] = [];
  const details: Record<string, unknown> = { ...windows };
  const add = (part: PartResult): void => {
    rows.push(...part.rows);
    Object.assign(details, part.details);
  };
  if (chosen.includes('load')) {
    const rates = await captureRows({ ...windows, burst: 0, peerPrograms: undefined });
    add(rates);
    add(await latencyRows(windows, rates.sustainedRate));
    add(await memoryRows({ rounds: 1, seconds: Number(values.soak), baselineBinary: undefined }));
  }
  if (chosen.includes('disk')) add(await diskRows());
  const sets = { 'GitHub examples': githubPayloads(), '1.6 KB with GitHub headers': [smallPayload()] };
  if (chosen.includes('switches')) add(await switchRows(sets, windows));
  if (chosen.includes('backup'))
    add(await backupRows({ 'GitHub examples': githubPayloads(), 'orders of 1.6 KB': orderPayloads(1000) }, windows));
  if (chosen.includes('redaction')) add(await redactionRows(windows, values['baseline-binary']));
  report(reportName('ingest', allParts, chosen), rows, details);
}
