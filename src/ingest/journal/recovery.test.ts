/* Recovery after a torn write or damage on disk finds the complete groups, in order, and nothing else. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nonceBytes } from '../../core/ids/ids.ts';
import { randomBytes } from '../../testing/test-server.ts';
import { decodeGroup, groupAlignment, type JournalEntry } from './group.ts';
import { createJournal, type GroupLocation } from './journal.ts';
import { findGroups, recoverGroups } from './recovery.ts';
import { createSegmentFiles, type StoredSegment } from './segment-files.ts';

const segmentBytes = 64 << 10;
const databaseId = new Uint8Array(16).fill(7);
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-journal-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const openFiles = () => createSegmentFiles({ directory, databaseId, segmentBytes, random: randomBytes });
const entry = (body: string | Uint8Array): JournalEntry => ({
  endpoint: 3,
  platforms: [],
  delivery: {
    method: 'POST',
    path: '/a',
    query: null,
    fields: Buffer.from('Content-Type: text/plain\r\n'),
    body: typeof body === 'string' ? Buffer.from(body) : body,
    sourceIp: '10.0.0.1',
    receivedAt: 1000,
  },
  recognition: null,
});

/** Groups of these bodies, in one journal. */
async function write(groups: readonly (readonly string[])[], given: { files?: ReturnType<typeof openFiles> } = {}) {
  const files = given.files ?? openFiles();
  files.readStored();
  const journal = createJournal({ files, nextGroup: 1, unfiled: [] });
  const locations: GroupLocation[] = [];
  let first = 1;
  for (const bodies of groups) {
    locations.push(await journal.append(bodies.map(entry), randomBytes(nonceBytes * bodies.length), first));
    first += bodies.length;
  }
  return { files, journal, locations };
}

const recover = (filedSeq = 0) => recoverGroups(openFiles().readStored(), filedSeq);
const bodiesOf = ({ path, offset, bytes }: GroupLocation): string[] => {
  const group = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  readSync(file, group, 0, bytes, offset);
  closeSync(file);
  return decodeGroup(group).entries.map(({ delivery }) => Buffer.from(delivery.body).toString());
};
const recoveredBodies = (filedSeq = 0): string[][] => recover(filedSeq).unfiled.map(bodiesOf);

const groups = [['one'], ['two', 'three'], ['x'.repeat(4000), 'four'], ['five', 'y'.repeat(3000)]];

describe('recovery', () => {
  test('finds every group in order, with its row numbers', async () => {
    await write(groups);
    const { unfiled, lastSeq, nextGroup, damaged } = recover();
    expect(unfiled.map(bodiesOf)).toEqual(groups);
    expect(unfiled.map(({ first, count }) => [first, count])).toEqual([
      [1, 1],
      [2, 2],
      [4, 2],
      [6, 2],
    ]);
    expect([lastSeq, nextGroup, damaged]).toEqual([7, 5, []]);
  });

  test('omits filed groups, and continues numbering after them', async () => {
    await write(groups);
    expect(recoveredBodies(3)).toEqual(groups.slice(2));
    const { unfiled, lastSeq, nextGroup, empty } = recover(7);
    expect([unfiled, lastSeq, nextGroup, empty.length]).toEqual([[], 7, 5, 1]);
  });

  test('of a directory that does not exist is empty', () => {
    rmSync(directory, { recursive: true });
    expect(recover()).toEqual({ unfiled: [], lastSeq: 0, nextGroup: 1, empty: [], damaged: [] });
  });

  test('finds groups in several segments, including an oversized one', async () => {
    const many = Array.from({ length: 40 }, (_, i) => [`${i} `.repeat(1500)]);
    many.splice(20, 0, ['large'.repeat(20_000)]);
    await write(many);
    expect(recoveredBodies()).toEqual(many);
    expect(recoveredBodies(25)).toEqual(many.slice(25));
  });
});

describe('a torn write', () => {
  /** Cuts the last two groups off at each byte; zeros follow, as in an unused segment. */
  test('at any byte of the last two groups keeps exactly the complete groups', async () => {
    const { locations } = await write(groups);
    const path = locations[0]?.path ?? '';
    const complete = readFileSync(path);
    const [secondLast, last] = locations.slice(-2) as [GroupLocation, GroupLocation];
    /** A group may end in zeros: it is complete when its last nonzero byte is on disk. */
    const endOf = ({ offset, bytes }: GroupLocation): number => {
      let end = offset + bytes;
      while (complete[end - 1] === 0) end--;
      return end;
    };
    const [segment] = openFiles().readStored();
    const torn = Buffer.from(complete);
    for (let cut = last.offset + last.bytes; cut >= secondLast.offset; cut--) {
      torn[cut] = 0;
      const expected = cut >= endOf(last) ? 4 : cut >= endOf(secondLast) ? 3 : 2;
      const found = findGroups(torn, segment as StoredSegment, Number.POSITIVE_INFINITY, undefined);
      if (found.groups.length !== expected || found.damaged.length > 0)
        expect({ cut, ...found }).toEqual({ cut, groups: [], damaged: [expected] });
    }
    writeFileSync(path, torn);
    expect(recoveredBodies()).toEqual(groups.slice(0, 2));
  });

  test('in a reused segment never restores older groups', async () => {
    const { journal, locations, files } = await write([['old one'], ['old two'], ['old three']]);
    const used = createJournal({ files, nextGroup: 4, unfiled: [] });
    for (const location of locations) journal.filed(location);
    await journal.close();
    await used.append([entry('new')], randomBytes(nonceBytes), 4);
    expect(recoveredBodies()).toEqual([['new']]);
  });

  test('of the file itself is survived', async () => {
    const { locations } = await write(groups);
    const [, , third] = locations as [GroupLocation, GroupLocation, GroupLocation];
    truncateSync(third.path, third.offset + 100);
    expect(recoveredBodies()).toEqual(groups.slice(0, 2));
    truncateSync(third.path, 10);
    expect(recoveredBodies()).toEqual([]);
  });
});

describe('a flipped bit', () => {
  test('in any byte of a group loses at most that group, and its loss is reported when groups follow', async () => {
    const { locations } = await write(groups);
    const path = locations[0]?.path ?? '';
    const [segment] = openFiles().readStored();
    const bytes = readFileSync(path);
    for (const [index, location] of locations.entries())
      for (let at = location.offset; at < location.offset + location.bytes; at++) {
        const before = bytes[at] ?? 0;
        bytes[at] = before ^ (1 << (at % 8));
        const { groups: found, damaged } = findGroups(
          bytes,
          segment as StoredSegment,
          Number.POSITIVE_INFINITY,
          undefined,
        );
        bytes[at] = before;
        const isLost = found.length === 3;
        const expected = locations.filter((_, i) => !isLost || i !== index).map(({ first }) => first);
        const isReported = isLost && index < 3;
        if (
          Bun.deepEquals(
            found.map(({ first }) => first),
            expected,
          ) &&
          damaged.length === (isReported ? 1 : 0)
        )
          continue;
        expect({ index, at, found, damaged }).toEqual({ index, at, found: [], damaged: [] });
      }
  });

  test('in the header of a segment never prevents the start', async () => {
    const { locations } = await write(groups);
    const path = locations[0]?.path ?? '';
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    for (let at = 0; at < 64; at++) {
      const bytes = readFileSync(copy);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      writeFileSync(path, bytes);
      const found = recoveredBodies();
      expect(found.length === 0 || Bun.deepEquals(found, groups)).toBe(true);
    }
  });
});

test('a forged group in a body is ignored', async () => {
  const { locations } = await write([['decoy'], ['after']]);
  const path = locations[0]?.path ?? '';
  const forged = readFileSync(path).subarray(groupAlignment, 2 * groupAlignment);
  rmSync(directory, { recursive: true });
  // With another segment nonce, because a sender cannot know it.
  forged.set(randomBytes(8), 8);
  const body = Buffer.concat([Buffer.alloc(5000), forged, forged, forged]);
  const files = openFiles();
  const journal = createJournal({ files, nextGroup: 1, unfiled: [] });
  const location = await journal.append([entry(body)], randomBytes(nonceBytes), 1);
  await journal.append([entry('last')], randomBytes(nonceBytes), 2);
  const damage = openSync(location.path, 'r+');
  writeSync(damage, Buffer.of(0xff), 0, 1, location.offset + 5);
  closeSync(damage);
  expect(recoveredBodies()).toEqual([['last']]);
});

test('a failed group is void once the next one is written, even if it is on disk', async () => {
  const { journal, locations, files } = await write([['kept']]);
  // As if the second group had reached the disk, but its write had failed.
  const second = createJournal({ files, nextGroup: 2, unfiled: [] });
  await journal.append([entry('refused')], randomBytes(nonceBytes), 2);
  await second.append([entry('retried')], randomBytes(nonceBytes), 3);
  expect(locations).toHaveLength(1);
  expect(recoveredBodies()).toEqual([['kept'], ['retried']]);
});
