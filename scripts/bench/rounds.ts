/* Interleaved rounds: each round measures every side once, in a changing order, so that other load affects all sides. */
import { median } from './statistics.ts';

export type Taken<Side extends string> = Record<Side, number[]>;

/**
 * Measures every side once a round. @param what the label printed with each figure
 */
export async function interleaved<Side extends string>(
  sides: readonly Side[],
  rounds: number,
  what: string,
  measure: (side: Side) => Promise<number>,
): Promise<Taken<Side>> {
  const taken = Object.fromEntries(sides.map(side => [side, [] as number[]])) as Taken<Side>;
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(round + turn) % sides.length] as Side;
      const value = await measure(side);
      taken[side].push(value);
      console.log(`round ${round + 1}  ${what}  ${side.padEnd(26)}  ${value.toFixed(value < 100 ? 2 : 0)}`);
    }
  return taken;
}

/** The medians of both sides for a row; without `baseline` if it was not measured. */
export function medians<Side extends string>(
  taken: Readonly<Taken<Side>>,
  ours: Side,
  baseline: Side,
): { ours: number; baseline?: number } {
  const other: number[] | undefined = taken[baseline];
  return { ours: median(taken[ours]), ...(other && other.length > 0 && { baseline: median(other) }) };
}
