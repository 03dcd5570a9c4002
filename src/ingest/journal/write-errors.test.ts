/* After a failed write: its group is not acknowledged, its segment is not written again, and earlier groups stay. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nonceBytes } from '../../core/ids/ids.ts';
import { randomBytes } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import type { JournalEntry } from './group.ts';
import { createJournal, type GroupLocation } from './journal.ts';
import { recoverGroups } from './recovery.ts';
import { createSegmentFiles, type OpenSegment } from './segment-files.ts';

const segmentBytes = 64 << 10;
const databaseId = new Uint8Array(16).fill(7);
let directory: string;
let openSegments: OpenSegment[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-journal-'));
  openSegments = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const openFiles = () => createSegmentFiles({ directory, databaseId, segmentBytes, random: randomBytes });

function openJournal() {
  const files = openFiles();
  const openNext: typeof files.openNext = async (minBytes, firstGroup) => {
    const segment = await files.openNext(minBytes, firstGroup);
    openSegments.push(segment);
    return segment;
  };
  const journal = createJournal({ files: { ...files, openNext }, nextGroup: 1, unfiled: [] });
  let next = 1;
  return {
    journal,
    append: (body: string): Promise<GroupLocation> => journal.append([entry(body)], randomBytes(nonceBytes), next++),
  };
}

const entry = (body: string): JournalEntry => ({
  endpoint: 3,
  platforms: [],
  delivery: {
    method: 'POST',
    path: '',
    query: null,
    fields: new Uint8Array(),
    body: Buffer.from(body),
    sourceIp: '10.0.0.1',
    receivedAt: 1000,
  },
  recognition: null,
});

/** Replaces the open file of the current segment by one whose writes fail. */
function breakSegment(openBroken: (path: string) => number): void {
  const segment = openSegments.at(-1) as OpenSegment;
  closeSync(segment.file);
  segment.file = openBroken(segment.path);
}

const recoveredFirsts = (): number[] => recoverGroups(openFiles().readStored(), 0).unfiled.map(({ first }) => first);

const faults: [name: string, code: string, openBroken: (path: string) => number][] = [
  ['is not allowed', 'EBADF', path => openSync(path, 'r')],
  ['finds the disk full', 'ENOSPC', () => openSync('/dev/full', 'w')],
];

describe.each(faults)('a write that %s', (_, code, openBroken) => {
  const isPossible = code === 'EBADF' || existsSync('/dev/full');

  test.if(isPossible)('is an error, and the next group goes to another segment', async () => {
    const { append } = openJournal();
    const before = await append('before');
    breakSegment(openBroken);
    expect(await thrownBy(append('refused'))).toThrow(expect.objectContaining({ code }));
    const after = await append('after');
    expect(after.path).not.toBe(before.path);
    expect(recoveredFirsts()).toEqual([1, 3]);
  });

  test.if(isPossible)('never makes its segment a spare one', async () => {
    const { journal, append } = openJournal();
    const before = await append('before');
    breakSegment(openBroken);
    expect(await thrownBy(append('refused'))).toThrow(expect.objectContaining({ code }));
    expect(existsSync(before.path)).toBe(true);
    journal.filed(before);
    expect(existsSync(before.path)).toBe(false);
  });

  test.if(isPossible)('may happen again and again', async () => {
    const { journal, append } = openJournal();
    const acknowledged = [await append('a')];
    for (let i = 0; i < 3; i++) {
      breakSegment(openBroken);
      expect(await thrownBy(append('refused'))).toThrow(expect.objectContaining({ code }));
      acknowledged.push(await append('kept'));
    }
    expect(recoveredFirsts()).toEqual([1, 3, 5, 7]);
    for (const location of acknowledged) journal.filed(location);
    await journal.close();
    expect(existsSync(directory)).toBe(false);
  });
});
