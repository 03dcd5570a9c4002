/* What a long history costs: search, and what else reads it whole. The data set is built once and kept. */
import { parseArgs } from 'node:util';
import { history as dataSet } from './history-data.ts';
import { searchRows } from './history-search.ts';
import { report } from './report.ts';
import { requireWrk } from './wrk.ts';

export async function history(args: string[]): Promise<void> {
  requireWrk();
  const options = {
    events: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  } as const;
  const { values } = parseArgs({ args, options });
  const events = Number(values.events);
  const data = await dataSet(events);
  const { rows, details } = await searchRows(data, {
    requests: Number(values.requests),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
  });
  report('history', rows, { events, data: { ...data, key: '' }, ...details });
}
