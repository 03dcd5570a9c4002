/* A condition that every block with a matching event meets. A weaker condition is correct, too; a stronger one never is. */
import { type Fact, hasFact } from './block-facts.ts';
import { type BlockFilters, type Gram, mayContain } from './block-signature.ts';
import { mayHaveValue, type ValueProbe } from './value-filter.ts';

/** One bit of a signature: of the filter of its texts, of its facts, or of the filter of its values. */
export type Probe = Gram | Fact | ValueProbe;

/** A block must meet all items. With none, every block matches. */
export type Narrowing = readonly NarrowingItem[];
export type NarrowingItem = Probe | { any: readonly Narrowing[] };

export const isFact = (probe: Probe): probe is Fact => 'byte' in probe;
export const isValueProbe = (probe: Probe): probe is ValueProbe => 'valuePlace' in probe;

export function hasProbe({ facts, filter, values }: BlockFilters, probe: Probe): boolean {
  if (isFact(probe)) return hasFact(facts, probe);
  return isValueProbe(probe) ? mayHaveValue(values, probe) : mayContain(filter, [probe]);
}

export const probesOf = (narrowing: Narrowing): Probe[] =>
  narrowing.flatMap(item => ('any' in item ? item.any.flatMap(probesOf) : [item]));

/** The blocks that meet the narrowing, as a slice. @param slices the slices of the probes, in the order of `probesOf` */
export function combineSlices(narrowing: Narrowing, slices: readonly Uint8Array[], bytes: number): Uint8Array {
  let next = 0;
  const all = (items: Narrowing): Uint8Array => {
    const result = new Uint8Array(bytes).fill(0xff);
    for (const item of items) {
      const slice = 'any' in item ? any(item.any) : (slices[next++] as Uint8Array);
      for (let i = 0; i < bytes; i++) result[i] = (result[i] as number) & (slice[i] as number);
    }
    return result;
  };
  const any = (options: readonly Narrowing[]): Uint8Array => {
    const result = new Uint8Array(bytes);
    for (const option of options) {
      const slice = all(option);
      for (let i = 0; i < bytes; i++) result[i] = (result[i] as number) | (slice[i] as number);
    }
    return result;
  };
  return all(narrowing);
}
