/*
 * The output of client commands, and the escaping of foreign text for every command. Text of an event, an endpoint or a server
 * may be hostile: characters that could move a terminal's cursor, change its state or reorder a line are printed as \uXXXX.
 */
import { escapeUnsafe } from '../../log.ts';
import type { Io } from '../io.ts';

/** One line of text. */
export const safeLine = (text: string): string => escapeUnsafe(text);

/** Text of several lines: line breaks and tabs stay. */
export const safeText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map(line => line.split('\t').map(escapeUnsafe).join('\t'))
    .join('\n');

/** A line. JSON leaves unsafe characters only inside strings, where \uXXXX means the same. */
export const jsonText = (value: unknown): string => `${escapeUnsafe(JSON.stringify(value))}\n`;

export const printJson = (io: Io, value: unknown): void => void io.stdout(jsonText(value));

/** Prints the result of a command: as JSON with --json, otherwise as this text. */
export const printResult = (io: Io, { json }: { json: boolean }, result: unknown, text: string): void =>
  void io.stdout(json ? jsonText(result) : text);

const gap = '  ';

/** Prints all columns, with tabs between; at a terminal, aligned columns without empty ones, cut to its width. */
export function printTable(io: Io, rows: readonly (readonly string[])[]): void {
  const cells = rows.map(row => row.map(safeLine));
  const { outputTerminal } = io;
  if (!outputTerminal) {
    io.stdout(cells.map(row => `${row.join('\t')}\n`).join(''));
    return;
  }
  const count = Math.max(0, ...cells.map(row => row.length));
  const widths = Array.from({ length: count }, (_, i) => Math.max(...cells.map(row => Bun.stringWidth(row[i] ?? ''))));
  const shown = widths.flatMap((width, i) => (width > 0 ? [i] : []));
  const lines = cells.map(row => {
    const line = shown.map(i => pad(row[i] ?? '', widths[i] ?? 0)).join(gap);
    return `${cut(line.trimEnd(), outputTerminal.columns)}\n`;
  });
  io.stdout(lines.join(''));
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)));

/** Cuts the text to at most `columns` columns. */
export function cut(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += Bun.stringWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** `1.5 KiB` */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [unit, divisor] = bytes < 1024 ** 2 ? ['KiB', 1024] : ['MiB', 1024 ** 2];
  return `${(bytes / divisor).toFixed(1)} ${unit}`;
}

/** To the second, UTC. */
export const timeText = (epochMs: number): string => new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** @param one in the singular; the plural has an s */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
