/* Checks the index against the events, and rebuilds it. Both may run while deliveries are stored. */
import { toIndexEntry } from './index-entry.ts';
import type { Indexer } from './indexer.ts';
import type { SearchStore } from './store.ts';
import { trigramsOf } from './trigrams.ts';

/** How many events, evenly spread, are looked up in the index by their own trigrams. */
const sampleSize = 200;
const sampleTrigrams = 50;

export function createIndexMaintenance(options: { store: SearchStore; indexer: Indexer; wake: () => void }) {
  const { store, indexer, wake } = options;

  /** Of a sample of indexed events, how many the index does not find by their own trigrams. */
  const checkSample = async (watermark: number): Promise<{ checked: number; wrong: number }> => {
    let checked = 0;
    let wrong = 0;
    for (const seq of await store.sample(watermark, sampleSize)) {
      const event = (await store.searched([seq])).get(seq);
      if (!event) continue;
      checked++;
      const all = trigramsOf(toIndexEntry(event).trigrams);
      const step = Math.max(1, Math.floor(all.length / sampleTrigrams));
      const some = all.filter((_, i) => i % step === 0);
      const match = some.map(trigram => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
      if ((await store.hits(match, seq, seq, 1)).length === 0 && (await store.searched([seq])).has(seq)) wrong++;
    }
    return { checked, wrong };
  };

  return {
    /** Problems of the search index, as sentences; empty when it agrees with the events. */
    async checkIndex(): Promise<string[]> {
      const problems: string[] = [];
      const { watermark } = await store.progress();
      const missing = await store.missing(watermark);
      if (missing > 0) problems.push(`the search index lacks ${missing} event${missing === 1 ? '' : 's'}`);
      const orphans = await store.orphans();
      if (orphans > 0)
        problems.push(`the search index has ${orphans} entr${orphans === 1 ? 'y' : 'ies'} without an event`);
      const { checked, wrong } = await checkSample(watermark);
      if (wrong > 0) problems.push(`the search index has the wrong text of ${wrong} of ${checked} events looked up`);
      return problems;
    },

    /**
     * Empties the index and rebuilds it in the background. Searches stay exact meanwhile, but are slower.
     * @param onProgress gets the last row number that was indexed, and the last one of all
     */
    reindex(onProgress: (done: number, total: number) => void = () => {}): Promise<void> {
      const finished = indexer.rebuild(onProgress);
      wake();
      return finished;
    },
  };
}
