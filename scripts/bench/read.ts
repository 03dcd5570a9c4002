/* Read latency must not depend on the number of stored events: measures pages, details and searches at several sizes. */
import { parseArgs } from 'node:util';
import { readingKinds, readTimes } from './reading.ts';
import { type Row, report } from './report.ts';

export async function read(args: string[]): Promise<void> {
  const options = {
    events: { type: 'string', default: '10000,1000000' },
    requests: { type: 'string', default: '2000' },
  } as const;
  const { values } = parseArgs({ args, options });
  const counts = values.events.split(',').map(Number);
  const requests = Number(values.requests);
  const times = await readTimes(
    counts.map(events => ({ name: String(events), events })),
    requests,
  );
  const [small = 0, ...larger] = counts;
  const rows: Row[] = larger.flatMap(events =>
    readingKinds.map(kind => ({
      what: `${kind}, p95 at ${events.toLocaleString('en-US')} events (baseline: ${small.toLocaleString('en-US')})`,
      ours: times[events]?.[kind] ?? Number.NaN,
      baseline: times[small]?.[kind] ?? Number.NaN,
      unit: 'ms',
      goal: { atMost: 1.3 },
    })),
  );
  report('read', rows, { requests, counts, times });
}
