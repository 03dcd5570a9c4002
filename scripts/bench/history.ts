/*
 * Benchmarks with a long history: search, filters, timelines, export, sweep and replay. The data set is built once and kept; `--build-only` builds it
 * and measures nothing.
 */
import { parseArgs } from 'node:util';
import { history as dataSet } from './history-data.ts';
import { exportRows } from './history-export.ts';
import { replayRows } from './history-replay.ts';
import { finishIndexing, searchRows } from './history-search.ts';
import { historySweep } from './history-sweep.ts';
import { timelineRows } from './history-timeline.ts';
import { valueRows } from './history-values.ts';
import { whereRows } from './history-where.ts';
import { chosenParts, reportName } from './parts.ts';
import { type Row, report } from './report.ts';
import { requireWrk } from './wrk.ts';

const historyParts = ['search', 'where', 'timeline', 'export', 'sweep', 'replay', 'values'] as const;

export async function history(args: string[]): Promise<void> {
  const options = {
    events: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: historyParts.join() },
    'build-only': { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args, options });
  const chosen = chosenParts(historyParts, values.only);
  const [events, requests, seconds, rounds] = [values.events, values.requests, values.seconds, values.rounds].map(
    Number,
  ) as [number, number, number, number];
  if (values['build-only']) {
    const { dataDir, captureSeconds, indexSeconds } = await dataSet(events);
    console.log(
      `${dataDir}: captured in ${captureSeconds.toFixed(0)} s, indexed in another ${indexSeconds.toFixed(0)} s`,
    );
    return;
  }
  requireWrk();
  const rows: Row[] = [];
  const details: Record<string, unknown> = { events, requests, seconds, rounds };
  const add = (part: { rows: Row[]; details: Record<string, unknown> }): void => {
    rows.push(...part.rows);
    Object.assign(details, part.details);
  };
  if (chosen.some(part => part !== 'sweep' && part !== 'values')) {
    const data = await dataSet(events);
    details['data'] = { ...data, key: '' };
    const settled = () => finishIndexing(data.dataDir);
    if (chosen.includes('replay')) add(await settled().then(() => replayRows(data, { requests })));
    if (chosen.includes('search')) add(await settled().then(() => searchRows(data, { requests, seconds })));
    if (chosen.includes('where')) add(await settled().then(() => whereRows(data, { requests })));
    if (chosen.includes('timeline')) add(await settled().then(() => timelineRows(data, { requests, seconds })));
    if (chosen.includes('export')) add(await settled().then(() => exportRows(data, { seconds, rounds, settled })));
  }
  if (chosen.includes('values')) add(await valueRows(events, { requests }));
  // Last, because it creates its own history.
  if (chosen.includes('sweep')) rows.push(...(await historySweep({ events, seconds })));
  report(reportName('history', historyParts, chosen), rows, details);
}
