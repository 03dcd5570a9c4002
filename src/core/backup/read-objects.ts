/* Reads the objects of a backup: the list, the claim, indexes, and the log in its order. */
import { isStoreFailure, type ObjectStore } from '../network/object-store.ts';
import {
  decodeClaim,
  decodeIndexBody,
  decodeIndexHead,
  decodeLogHead,
  type IndexBody,
  type IndexHead,
  type LogLink,
  type LogObject,
} from './contents.ts';
import { type BackupNames, looksLikeName, type ObjectPlace } from './names.ts';
import { type BackupSeal, type OpenHead, SealError } from './seal.ts';

export type BackupFailure = 'empty' | 'secret' | 'missing' | 'damaged' | 'too_early';

export class BackupError extends Error {
  override name = 'BackupError';
  readonly failure: BackupFailure;
  /** The name of the object that is missing or damaged. */
  declare readonly object: string | undefined;
  /** When a time is too early: the oldest state, epoch ms. */
  declare readonly oldest: number | undefined;

  constructor(failure: BackupFailure, message: string, details: { object?: string; oldest?: number } = {}) {
    super(message);
    this.failure = failure;
    Object.assign(this, details);
  }
}

/** `signal`: ends all requests. */
export type BackupSource = { store: ObjectStore; names: BackupNames; seal: BackupSeal; signal?: AbortSignal };

/** `log`, `index`: sizes of the objects by number. `foreign`: how many look like objects of another secret. */
export type Listed = { log: Map<number, number>; index: Map<number, number>; foreign: number };

const firstBytes = 64 << 10;
const parallel = 8;

export async function listBackup({ store, names, signal }: BackupSource): Promise<Listed> {
  const listed: Listed = { log: new Map(), index: new Map(), foreign: 0 };
  for await (const { name, size } of store.list({ signal })) {
    const place = names.read(name);
    if (!place && looksLikeName(name)) listed.foreign++;
    if (place?.kind === 'log' || place?.kind === 'index') listed[place.kind].set(place.seq, size);
  }
  return listed;
}

/** Reads an object's head without its body. @throws BackupError */
export async function readHead(source: BackupSource, place: ObjectPlace, size: number): Promise<OpenHead> {
  const { store, names, seal, signal } = source;
  const name = names.name(place);
  try {
    const get = async (length: number) => (await store.get(name, { range: [0, length], signal })).bytes;
    const opened = await seal.openHead(place, await get(Math.min(size, firstBytes)));
    if (!('needs' in opened)) return opened;
    if (opened.needs > size) throw new SealError('it is too short');
    return (await seal.openHead(place, await get(opened.needs))) as OpenHead;
  } catch (error) {
    throw objectError(error, name);
  }
}

/** Names the object that is missing or damaged; errors of the store stay as they are. */
export function objectError(error: unknown, name: string): unknown {
  if (isStoreFailure(error, 'missing'))
    return new BackupError('missing', `the object ${name} is missing`, { object: name });
  const isDamaged = error instanceof Error && ['SealError', 'ContentError', 'SyntaxError'].includes(error.name);
  return isDamaged ? new BackupError('damaged', `the object ${name} is damaged`, { object: name }) : error;
}

/** @returns undefined without a claim */
export async function readClaim({ store, names, seal, signal }: BackupSource) {
  const place: ObjectPlace = { kind: 'claim', seq: 0 };
  const name = names.name(place);
  try {
    const { bytes, etag } = await store.get(name, { maxBytes: firstBytes, signal });
    const opened = await seal.openHead(place, bytes);
    if ('needs' in opened) throw new SealError('it is too short');
    return { claim: decodeClaim(opened.head), etag };
  } catch (error) {
    if (isStoreFailure(error, 'missing')) return undefined;
    throw objectError(error, name);
  }
}

/** @returns undefined without an index up to this number */
export async function readIndex(
  source: BackupSource,
  { index }: Listed,
  upTo: number,
): Promise<BackupIndex | undefined> {
  const seq = [...index.keys()].reduce((last, number) => (number <= upTo ? Math.max(last, number) : last), 0);
  if (seq === 0) return undefined;
  const place: ObjectPlace = { kind: 'index', seq };
  const { store, names, seal, signal } = source;
  const name = names.name(place);
  try {
    const { bytes } = await store.get(name, { maxBytes: (index.get(seq) ?? 0) + 1, signal });
    const opened = await seal.openHead(place, bytes);
    if ('needs' in opened) throw new SealError('it is too short');
    const head = decodeIndexHead(opened.head);
    return { head, body: decodeIndexBody(await seal.openBody(place, bytes, opened), head) };
  } catch (error) {
    throw objectError(error, name);
  }
}

export type BackupIndex = { head: IndexHead; body: IndexBody };

/** `tip`: the newest object. `orphans`: objects that no other one follows: a request that failed and yet was carried out. */
export type Log = { objects: LogObject[]; orphans: number[]; lost: number[]; tip: LogLink | null };

/** The objects after `from` up to `upTo`, in order, without objects that have no successor. */
export async function readLog(
  source: BackupSource,
  { log }: Listed,
  from: LogLink | null,
  upTo: number,
  repair: boolean,
): Promise<Log> {
  const seqs = [...log.keys()].filter(seq => seq > (from?.seq ?? 0) && seq <= upTo).sort((a, b) => a - b);
  const read = new Map<number, LogObject & { tag: string }>();
  const lost: number[] = [];
  const rest = [...seqs];
  const readNext = async (): Promise<void> => {
    for (let seq = rest.shift(); seq !== undefined; seq = rest.shift()) {
      const place: ObjectPlace = { kind: 'log', seq };
      try {
        const { head, tag } = await readHead(source, place, log.get(seq) ?? 0);
        read.set(seq, { ...decodeLogHead(head), tag });
      } catch (error) {
        const problem = objectError(error, source.names.name(place));
        if (!repair || !(problem instanceof BackupError)) throw problem;
        lost.push(seq);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, readNext));
  const tip = read.get(seqs.findLast(seq => read.has(seq)) ?? 0) ?? null;
  const objects: LogObject[] = [];
  let next = tip as (LogObject & { tag: string }) | null;
  while (next) {
    objects.unshift(next);
    const prev: LogLink | null = next.prev;
    const isEnd = prev === null || prev.seq <= (from?.seq ?? 0);
    const before = prev && read.get(prev.seq);
    const isSame = isEnd ? prev?.seq === from?.seq && prev?.tag === from?.tag : before?.tag === prev.tag;
    if (!isSame) {
      const number = prev?.seq ?? next.seq;
      if (!repair) throw brokenLog(source.names, number, log.has(number));
      lost.push(number);
    }
    const below = next.seq;
    const older = [...read.values()].filter(({ seq }) => seq < below);
    next = isSame ? (isEnd ? null : (before ?? null)) : (older.sort((a, b) => b.seq - a.seq)[0] ?? null);
  }
  const used = new Set(objects.map(({ seq }) => seq));
  return {
    objects,
    orphans: seqs.filter(seq => !used.has(seq) && !lost.includes(seq)),
    lost,
    tip: tip && { seq: tip.seq, tag: tip.tag },
  };
}

export function brokenLog(names: BackupNames, seq: number, isThere: boolean): BackupError {
  const object = names.name({ kind: 'log', seq });
  return isThere
    ? new BackupError('damaged', `the object ${object} is another one than the backup had there`, { object })
    : new BackupError('missing', `the object ${object} is missing`, { object });
}
