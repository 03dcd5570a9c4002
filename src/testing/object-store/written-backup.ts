/* Writes states of a database file into an object store, as the server's backup does it, but when a test says so. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeClaim, encodeLogBody, encodeLogHead, hashPage, xorPage } from '../../core/backup/contents.ts';
import { createBackupNames, type ObjectPlace } from '../../core/backup/names.ts';
import { createBackupSeal } from '../../core/backup/seal.ts';
import { hooktape } from '../command.ts';
import type { openMemoryStore } from './memory-store.ts';

type Store = Awaited<ReturnType<typeof openMemoryStore>>;

const pageSize = 16_384;
const chain = '0123456789abcdef0123456789abcdef';
const run = 'run';

/** @param pagesPerObject a state of more pages has several objects */
export function createWrittenBackup(store: Store, prefix: string, secret: string, pagesPerObject = 8) {
  const names = createBackupNames(secret);
  const seal = createBackupSeal(secret);
  let last: Uint8Array = new Uint8Array();
  let prev: { seq: number; tag: string } | null = null;

  const keyOf = (place: ObjectPlace): string => `${prefix}/${names.name(place)}`;
  const put = (place: ObjectPlace, bytes: Buffer): void => {
    const etag = `"${Bun.hash(bytes)}"`;
    store.objects.set(keyOf(place), { bytes, etag, modifiedAt: Date.now() });
  };
  const pageIn = (file: Uint8Array, page: number): Uint8Array => file.slice((page - 1) * pageSize, page * pageSize);

  return {
    keyOf,
    /** Writes the pages that differ from the last state: as deltas, if there was another version. */
    async add(path: string, at: number): Promise<void> {
      const file = new Uint8Array(readFileSync(path));
      const pages = file.length / pageSize;
      const changed = Array.from({ length: pages }, (_, i) => i + 1).filter(
        page => Buffer.compare(pageIn(file, page), pageIn(last, page)) !== 0,
      );
      for (let from = 0; from === 0 || from < changed.length; from += pagesPerObject) {
        const some = changed.slice(from, from + pagesPerObject);
        const isLast = from + pagesPerObject >= changed.length;
        const data = some.map(page => {
          const content = pageIn(file, page);
          if (page * pageSize <= last.length) xorPage(content, pageIn(last, page));
          return content;
        });
        const seq: number = (prev?.seq ?? 0) + 1;
        const head = encodeLogHead({
          chain,
          seq,
          prev,
          run,
          at,
          commit: isLast ? { pages } : null,
          pageSize,
          horizon: 0,
          pages: Uint32Array.from(some),
          deltas: Uint8Array.from(some, page => (page * pageSize <= last.length ? 1 : 0)),
          hashes: BigUint64Array.from(some, page => hashPage(pageIn(file, page))),
        });
        const body = await encodeLogBody(new Uint8Array(Buffer.concat(data)));
        const place = { kind: 'log', seq } as const;
        const { bytes, tag } = await seal.seal(place, head, body);
        put(place, bytes);
        prev = { seq, tag };
      }
      last = file;
    },
    /** Writes the claim of a server. @param at when it was renewed */
    async claim(at: number, { released = false } = {}): Promise<void> {
      const place = { kind: 'claim', seq: 0 } as const;
      const claim = { chain, instance: 'one', run, seq: prev?.seq ?? 0, at, everyMs: 10_000, released };
      put(place, (await seal.seal(place, encodeClaim(claim))).bytes);
    },
  };
}

/** Two states of a database: files, of which the second has one more account. */
export async function prepareStates(secret: string) {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-states-'));
  const env = { HOOKTAPE_SECRET: secret, HOOKTAPE_DATA_DIR: join(directory, 'data') };
  const files = [join(directory, 'first.db'), join(directory, 'second.db')] as const;
  for (const [i, file] of files.entries()) {
    await hooktape(env, 'account', 'create', `account-${i + 1}@example.com`);
    copyFileSync(join(directory, 'data/hooktape.db'), file);
  }
  return { first: files[0], second: files[1], remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The settings of commands that read the store. */
export const s3Env = ({ endpoint }: Pick<Store, 'endpoint'>): Record<string, string> => ({
  HOOKTAPE_S3_ENDPOINT: endpoint,
  HOOKTAPE_S3_ACCESS_KEY_ID: 'tape',
  HOOKTAPE_S3_SECRET_ACCESS_KEY: 'tape-secret',
});

/** Changes one bit of an object. */
export function flipMiddle(store: Pick<Store, 'objects'>, key: string): void {
  const kept = store.objects.get(key);
  if (!kept) throw new Error(`there is no ${key}`);
  const bytes = Buffer.from(kept.bytes);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  store.objects.set(key, { ...kept, bytes });
}
