/* Latency of pages, details and searches in a long history, compared with the baseline program with a history of the same size. */
import type { Part } from './goal-part.ts';
import { readingKinds, readTimes } from './reading.ts';
import { programs } from './recorder.ts';

export const readingRows: Part<'events' | 'requests' | 'baselineBinary'> = async ({
  events,
  requests,
  baselineBinary,
}) => {
  const stores = programs(baselineBinary).map(({ side, binary }) => ({ name: side, events, binary }));
  const times = await readTimes(stores, requests);
  return {
    rows: readingKinds.map(kind => ({
      what: `${kind}, p95 at ${events.toLocaleString('en-US')} events`,
      ours: times['ours']?.[kind] ?? Number.NaN,
      ...(times['baseline'] && { baseline: times['baseline'][kind], goal: { atMost: 1 } }),
      unit: 'ms',
    })),
    details: { reading: times },
  };
};
