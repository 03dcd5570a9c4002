/*
 * Looks for texts in a data directory: bun scripts/proofs/disk-scan.ts DIRECTORY TEXT…
 * Exit 1 if one is found. While a server runs, the cells of the database are not read; its pages are.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeHits, scanCells, scanFiles } from '../../src/testing/disk-scan.ts';

const [directory, ...texts] = process.argv.slice(2);
if (directory === undefined || texts.length === 0) {
  console.error('give: bun scripts/proofs/disk-scan.ts DIRECTORY TEXT…');
  process.exit(2);
}
const isRunning = existsSync(join(directory, 'hooktape.sock'));
const hits = describeHits([...scanFiles(directory, texts), ...(isRunning ? [] : scanCells(directory, texts))]);
console.log(hits.length === 0 ? 'nothing found' : hits.join('\n'));
process.exit(hits.length === 0 ? 0 : 1);
