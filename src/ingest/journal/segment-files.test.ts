/* The names of segments and of their directory are on disk before a segment is used. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createSegmentFiles, type OpenSegment } from './segment-files.ts';

let parent: string;
let directory: string;
/** Directories in the order in which they were synced. */
let synced: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'hooktape-segments-'));
  directory = join(parent, 'capture');
  synced = [];
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const options = () => ({ directory, databaseId: new Uint8Array(16), segmentBytes: 64 << 10, random: randomBytes });
const create = (syncNames = async (path: string) => void synced.push(path)) =>
  createSegmentFiles({ ...options(), syncNames });

async function openAndClose(files: ReturnType<typeof create>): Promise<OpenSegment> {
  const segment = await files.openNext(0, 1);
  closeSync(segment.file);
  return segment;
}

test('the name of the directory is synced before the first segment in it', async () => {
  await openAndClose(create());
  expect(synced).toEqual([parent, directory]);
});

test('it is synced once per process', async () => {
  const files = create();
  await openAndClose(files);
  await openAndClose(files);
  expect(synced).toEqual([parent, directory, directory]);
});

test('a process syncs the name even if an earlier one created the directory', async () => {
  mkdirSync(directory);
  await openAndClose(create());
  expect(synced).toEqual([parent, directory]);
});

test('it is synced again after the directory was removed', async () => {
  const files = create();
  await openAndClose(files);
  await files.removeAll();
  expect(existsSync(directory)).toBe(false);
  await openAndClose(files);
  expect(synced).toEqual([parent, directory, parent, directory]);
});

test('no segment is used while names cannot be synced', async () => {
  let isBroken = true;
  const files = create(async path => {
    if (isBroken) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    synced.push(path);
  });
  expect(await thrownBy(files.openNext(0, 1))).toThrow('input/output error');
  isBroken = false;
  await openAndClose(files);
  expect(synced).toEqual([parent, directory]);
});

test('a spare that cannot be removed stays usable', async () => {
  const files = create();
  await files.prepareSpare();
  const [name = ''] = readdirSync(directory);
  const path = join(directory, name);
  renameSync(path, join(parent, name));
  mkdirSync(path);
  expect(files.removeSpares()).toBe(false);
  rmdirSync(path);
  renameSync(join(parent, name), path);
  const segment = await openAndClose(files);
  expect(segment.path).toBe(path);
  await files.prepareSpare();
  expect(files.removeSpares()).toBe(true);
  expect(files.removeSpares()).toBe(false);
  expect(readdirSync(directory)).toEqual([name]);
});

describe('a segment of an earlier process', () => {
  const damage = (path: string): void => {
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.of(0xff), 0, 1, 20);
    closeSync(file);
  };

  test('that was used is read', async () => {
    const { path } = await openAndClose(create());
    expect(create().readStored()).toMatchObject([{ path, firstGroup: 1 }]);
  });

  test('that was never used, or whose creation was interrupted, is removed', async () => {
    await create().prepareSpare();
    writeFileSync(join(directory, '00000009.segment'), Buffer.alloc(100));
    expect(create().readStored()).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('with a damaged header is moved aside and reported', async () => {
    const { path } = await openAndClose(create());
    damage(path);
    const moved: string[] = [];
    const files = createSegmentFiles({ ...options(), onDamaged: aside => void moved.push(aside) });
    expect(files.readStored()).toEqual([]);
    expect(moved).toEqual([`${path}.damaged`]);
    await files.removeAll();
    expect(existsSync(`${path}.damaged`)).toBe(true);
  });
});
