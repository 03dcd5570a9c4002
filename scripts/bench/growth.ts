/*
 * What configured things cost while nothing happens, and what lists of them cost: the CPU time of the process, not the time on the clock.
 * Each part is a function from an executable to figures. `--baseline-binary` measures an earlier build in alternation.
 */
import { parseArgs } from 'node:util';
import { builtBinary } from '../lib/installation.ts';
import { growthAlerts } from './growth-alerts.ts';
import { growthDeletion } from './growth-deletion.ts';
import { endpointFigures, type Figure, teamFigures } from './growth-endpoints.ts';
import { growthForwards } from './growth-forwards.ts';
import { measureStreams } from './growth-streams.ts';
import { chosenParts, reportName } from './parts.ts';
import { type Row, report } from './report.ts';
import { median } from './statistics.ts';

const parts: Record<string, (binary: string) => Promise<Figure[]>> = {
  endpoints: endpointFigures,
  teams: teamFigures,
  alerts: binary => growthAlerts(binary),
  forwards: binary => growthForwards(binary),
  streams: measureStreams,
  deletion: binary => growthDeletion(binary),
};

export async function growth(args: string[]): Promise<void> {
  const options = {
    only: { type: 'string', default: Object.keys(parts).join() },
    rounds: { type: 'string', default: '1' },
    'baseline-binary': { type: 'string' },
  } as const;
  const { values } = parseArgs({ args, options });
  const chosen = chosenParts(Object.keys(parts), values.only);
  const [ours, baseline] = [builtBinary(), values['baseline-binary']];
  const binaries = baseline === undefined ? [ours] : [ours, baseline];
  /** By figure and executable, a value for each round. */
  const taken = new Map<string, { unit: string; byBinary: Map<string, number[]> }>();
  for (const part of chosen)
    for (let round = 0; round < Number(values.rounds); round++)
      for (const binary of round % 2 === 0 ? binaries : binaries.toReversed())
        for (const { name, value, unit } of (await parts[part]?.(binary)) ?? []) {
          console.log(
            `round ${round + 1}  ${binary === ours ? 'ours    ' : 'baseline'}  ${name}: ${value.toFixed(2)} ${unit}`,
          );
          const figure = taken.get(name) ?? { unit, byBinary: new Map<string, number[]>() };
          taken.set(name, figure);
          figure.byBinary.set(binary, [...(figure.byBinary.get(binary) ?? []), value]);
        }
  const rows = [...taken].map(([what, { unit, byBinary }]): Row => {
    const before = baseline === undefined ? undefined : byBinary.get(baseline);
    return { what, unit, ours: median(byBinary.get(ours) ?? []), ...(before && { baseline: median(before) }) };
  });
  report(reportName('growth', Object.keys(parts), chosen), rows, { rounds: Number(values.rounds) });
}
