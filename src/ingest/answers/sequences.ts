/*
 * The states of sequences that the next event needs. Each step is stored in the same commit as its event (core/answers/model.ts
 * `Count`). With a journal, only this process chooses answers, so steps that are not filed yet are kept in memory, and other
 * steps are read when needed and cached. With a libSQL server, every batch reads them.
 */
import { atStart, type SequenceState, stateAfter } from '../../core/answers/evaluate.ts';
import type { Count } from '../../core/answers/model.ts';

export type SequenceKey = { version: number; slot: number; delivery: number };

/** Loads the stored states of these sequences of an endpoint, except sequences that have not begun. */
export type LoadSequences = (
  endpoint: number,
  keys: readonly SequenceKey[],
) => Promise<readonly (SequenceKey & { state: SequenceState })[]>;

export type Sequences = ReturnType<typeof createSequences>;
/** The states that one batch reads and changes. */
export type SequenceDraft = Awaited<ReturnType<Sequences['begin']>>;

const keyOf = ({ version, slot, delivery }: SequenceKey): string => `${version}:${slot}:${delivery}`;

const maxKept = 50_000;

/** @param isUnfiled whether this event is only in the journal; undefined: no state is kept between batches */
export function createSequences({
  load,
  isUnfiled,
}: {
  load: LoadSequences;
  isUnfiled: ((seq: number) => boolean) | undefined;
}) {
  /** The least recently used first. `seq`: the event of the last step, 0 if it is filed. */
  const kept = new Map<string, { state: SequenceState; seq: number }>();

  const remember = (key: string, state: SequenceState, seq: number): void => {
    kept.delete(key);
    kept.set(key, { state, seq });
  };
  /** Drops the least recently used states. A state that is not filed yet stays, because its row is outdated. */
  const forget = (): void => {
    for (const [key, { seq }] of kept) {
      if (kept.size <= maxKept || isUnfiled?.(seq)) return;
      kept.delete(key);
    }
  };

  return {
    /** Call it after events were removed, because the steps of these events are removed, too. */
    forgetFiled(): void {
      for (const [key, { seq }] of kept) if (!isUnfiled?.(seq)) kept.delete(key);
    },

    async begin(wanted: ReadonlyMap<number, readonly SequenceKey[]>) {
      const states = new Map<string, SequenceState>();
      const changed = new Set<string>();
      await Promise.all(
        [...wanted].map(async ([endpoint, keys]) => {
          const missing = keys.filter(key => {
            const known = kept.get(keyOf(key));
            if (known) states.set(keyOf(key), known.state);
            return !known;
          });
          if (missing.length === 0) return;
          for (const key of missing) states.set(keyOf(key), atStart);
          for (const { state, ...key } of await load(endpoint, missing)) states.set(keyOf(key), state);
        }),
      );
      return {
        stateOf: (key: SequenceKey): SequenceState => states.get(keyOf(key)) ?? atStart,
        /** @returns the step as it is stored */
        add: (count: Count): Count => {
          const key = keyOf(count);
          const before = states.get(key) ?? atStart;
          const isFirst = !changed.has(key);
          states.set(key, stateAfter(before, count));
          changed.add(key);
          return isUnfiled || !isFirst ? count : { ...count, before: before.n };
        },
        /** The batch is stored. @param last the row number of its last event */
        keep: (last: number): void => {
          if (!isUnfiled) return;
          for (const [key, state] of states) remember(key, state, changed.has(key) ? last : (kept.get(key)?.seq ?? 0));
          forget();
        },
      };
    },
  };
}
