/* A backup in an object store, as the commands read it: they change nothing, and a problem becomes one sentence. */
import type { Config } from '../../config/config.ts';
import { ContentError, decodeLogBody, decodeLogHead } from '../../core/backup/contents.ts';
import { type BackupNames, createBackupNames } from '../../core/backup/names.ts';
import { type Backup, readBackup } from '../../core/backup/read-backup.ts';
import { BackupError } from '../../core/backup/read-objects.ts';
import { type BackupSeal, createBackupSeal, SealError } from '../../core/backup/seal.ts';
import { prefetch } from '../../core/concurrency/prefetch.ts';
import { isStoreFailure, type ObjectStore, ObjectStoreError } from '../../core/network/object-store.ts';
import { withRepeatedReads } from '../../core/network/retries.ts';
import { formatS3Location, type S3Location } from '../../core/network/s3-location.ts';
import { type ObjectPages, writePages } from '../../db/restore-pages.ts';
import { createS3Store } from '../../net/object-store/s3-store.ts';
import { ConfigurationError, type Io, OperationError } from '../io.ts';

/** How many objects are fetched while another object is written. */
const fetchedAhead = 3;

/** `object`: its name under the prefix. */
export type BrokenObject = { readonly object: string; readonly problem: 'missing' | 'damaged' };

/** An object that the backup needs is missing or damaged. */
class BrokenBackupError extends OperationError {
  readonly broken: BrokenObject;
  constructor(where: string, broken: BrokenObject) {
    super(`the object ${where}/${broken.object} is ${broken.problem}`);
    this.broken = broken;
  }
}

/** What happens while a state is written. */
export type Observer = {
  /** After each object. */
  readonly onObject?: (done: number, of: number) => void;
  /** Called for each object that is missing or damaged, which is then left out; otherwise the first one ends the work. */
  readonly onBroken?: (broken: BrokenObject) => void;
};

export type StoredBackup = {
  readonly store: ObjectStore;
  readonly names: BackupNames;
  readonly seal: BackupSeal;
  /**
   * @param options `at`: the newest state without anything later, epoch ms; the newest one by default. `repair`: tells of missing and
   * damaged objects instead of refusing
   */
  readonly read: (options?: { at?: number; repair?: boolean }) => Promise<Backup>;
  /** Writes the state into an existing empty file. */
  readonly write: (backup: Backup, file: string, observer?: Observer) => Promise<void>;
};

/** @throws ConfigurationError if keys or the secret are missing */
export function openStoredBackup(io: Io, { secret, s3 }: Config, location: S3Location): StoredBackup {
  const { accessKeyId, secretAccessKey } = s3;
  const missing = {
    HOOKTAPE_SECRET: [secret, 'must be the secret of the server that wrote the backup'],
    HOOKTAPE_S3_ACCESS_KEY_ID: [accessKeyId, 'must be set'],
    HOOKTAPE_S3_SECRET_ACCESS_KEY: [secretAccessKey, 'must be set'],
  } as const;
  const problems = Object.entries(missing).flatMap(([name, [value, problem]]) => (value ? [] : `${name}: ${problem}`));
  if (!secret || !accessKeyId || !secretAccessKey) throw new ConfigurationError(problems);
  const store = withRepeatedReads(
    createS3Store({ ...s3, accessKeyId, secretAccessKey }, location, { clock: io.clock }),
    io,
  );
  const [names, seal] = [createBackupNames(secret), createBackupSeal(secret)];
  const where = formatS3Location(location);
  const backup = { store, names, seal, where };
  return {
    store,
    names,
    seal,
    read: (options = {}) => explained(where, () => readBackup({ store, names, seal }, options)),
    write: (read, file, observer = {}) => explained(where, () => writeState(backup, read, file, observer)),
  };
}

type Open = Pick<StoredBackup, 'store' | 'names' | 'seal'> & { readonly where: string };

async function readPages({ store, names, seal, where }: Open, seq: number, bytes: number): Promise<ObjectPages> {
  const place = { kind: 'log', seq } as const;
  const name = names.name(place);
  try {
    const object = await store.get(name, { maxBytes: bytes });
    const opened = await seal.openHead(place, object.bytes);
    if ('needs' in opened) throw new SealError('it is too short');
    const head = decodeLogHead(opened.head);
    const data = await decodeLogBody(await seal.openBody(place, object.bytes, opened), head);
    return { seq, pages: head.pages, isDelta: record => head.deltas[record] === 1, data };
  } catch (error) {
    if (isStoreFailure(error, 'missing')) throw new BrokenBackupError(where, { object: name, problem: 'missing' });
    if (!(error instanceof SealError || error instanceof ContentError)) throw error;
    throw new BrokenBackupError(where, { object: name, problem: 'damaged' });
  }
}

async function writeState(open: Open, { map, state }: Backup, file: string, observer: Observer): Promise<void> {
  const { onObject, onBroken } = observer;
  const needed = map.objectsNeeded();
  let isBroken = false;
  const read = async ({ seq, bytes }: { seq: number; bytes: number }): Promise<ObjectPages | undefined> => {
    try {
      return await readPages(open, seq, bytes);
    } catch (error) {
      if (!(error instanceof BrokenBackupError && onBroken)) throw error;
      isBroken = true;
      onBroken(error.broken);
      return undefined;
    }
  };
  async function* objects(): AsyncGenerator<ObjectPages> {
    let done = 0;
    for await (const object of prefetch(needed, fetchedAhead, read)) {
      if (object) yield object;
      onObject?.(++done, needed.length);
    }
  }
  const { pages, pageSize } = state;
  const page = await writePages(file, { pages, pageSize, needs: map.needs, hash: map.hash }, objects());
  if (page === undefined || isBroken) return;
  const from = needed.findLast(({ seq }) => map.needs(page, seq));
  const broken = { object: open.names.name({ kind: 'log', seq: from?.seq ?? state.seq }), problem: 'damaged' } as const;
  if (!onBroken) throw new BrokenBackupError(open.where, broken);
  onBroken(broken);
}

/** Turns failures into sentences for the operator. */
async function explained<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw explain(where, error);
    if (error instanceof ObjectStoreError) throw new OperationError(`${where} cannot be read: ${error.message}`);
    throw error;
  }
}

function explain(where: string, error: BackupError): OperationError {
  switch (error.failure) {
    case 'empty':
      return new OperationError(`there is no backup at ${where}`);
    case 'secret':
      return new OperationError(`HOOKTAPE_SECRET is not the secret of the backup at ${where}`);
    case 'too_early':
      return new OperationError(
        `the oldest state that can be restored is that of ${new Date(error.oldest ?? 0).toISOString()}`,
      );
    case 'missing':
    case 'damaged':
      return new BrokenBackupError(where, { object: error.object ?? '', problem: error.failure });
  }
}
