/* The result of a benchmark: a table, and JSON under .bench/ for later comparison. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { version } from '../lib/about.ts';

export type Row = {
  what: string;
  ours: number;
  unit: string;
  /** The baseline's value, measured in the same run. */
  baseline?: number;
  /** The goal for the ratio to the baseline or, without a baseline, for `ours`. */
  goal?: { atLeast: number } | { atMost: number };
  /** The goal applies to `ours` even if there is a baseline. */
  isGoalAbsolute?: boolean;
};

/** Prints the table, writes `.bench/NAME.json` and a dated copy. */
export function report(name: string, rows: readonly Row[], details: Record<string, unknown>): void {
  const [cpu] = cpus();
  const machine = {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    bun: Bun.version,
  };
  const cells = rows.map(row => [row.what, figure(row.ours, row.unit), compared(row), goal(row), verdict(row)]);
  console.log(
    `\nHooktape ${version}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, Bun ${machine.bun}\n`,
  );
  console.log(table([['', 'Hooktape', 'baseline (ratio)', 'goal', ''], ...cells]));

  const dir = join(import.meta.dir, '../../.bench');
  mkdirSync(dir, { recursive: true });
  const at = new Date().toISOString();
  const json = `${JSON.stringify({ bench: name, at, version, machine, rows, details }, null, 2)}\n`;
  for (const file of [`${name}.json`, `${name}-${at.replaceAll(':', '')}.json`]) writeFileSync(join(dir, file), json);
  console.log(`\n.bench/${name}.json`);
}

function figure(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })}${unit === '' ? '' : ` ${unit}`}`;
}

const ratio = ({ ours, baseline }: Row): number | undefined => (baseline === undefined ? undefined : ours / baseline);

function compared(row: Row): string {
  return row.baseline === undefined ? '' : `${figure(row.baseline, row.unit)} (${figure(ratio(row) ?? 0, '')})`;
}

function goal({ goal: wanted, isGoalAbsolute, unit }: Row): string {
  if (!wanted) return '';
  const text = 'atLeast' in wanted ? `>= ${wanted.atLeast}` : `<= ${wanted.atMost}`;
  return isGoalAbsolute && unit !== '' ? `${text} ${unit}` : text;
}

function verdict(row: Row): string {
  if (!row.goal) return '';
  const value = (row.isGoalAbsolute ? undefined : ratio(row)) ?? row.ours;
  return ('atLeast' in row.goal ? value >= row.goal.atLeast : value <= row.goal.atMost) ? 'met' : 'MISSED';
}

function table(lines: string[][]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? [];
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
