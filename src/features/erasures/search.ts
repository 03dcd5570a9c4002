/*
 * Finds what has a text among everything that was captured for a team, and what is kept about it. Works in time slices.
 */
import type { InStatement } from '@libsql/client';
import { maxBlockBytes, readRecords, unpackBlock, unpackLargeBlock } from '../../core/blocks/event-block.ts';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import { advance, type YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { asBuffer } from '../../core/encoding/buffer.ts';
import type { TextMatcher } from '../../core/erasure/text-matcher.ts';
import type { ContentsStore, OwnRecord, TeamEndpoint } from './contents-store.ts';
import type { KeptStore } from './kept-store.ts';

export type Found = {
  /** Row numbers, also of events that are deleted already. */
  events: Set<number>;
  /** Blocks that have the text. */
  blocks: Set<number>;
  /** The GUIDs of the deliveries that GitHub could be asked for again, with their endpoints. */
  guids: { endpoint: number; guid: string }[];
};

const blocksTogether = 8;
const rowsTogether = 16;
const guidHeader = 'x-github-delivery';

export type TextSearch = {
  matches: TextMatcher;
  yieldIfDue: YieldIfDue;
  signal: AbortSignal;
};

export const hasText = (bytes: Uint8Array, { matches, yieldIfDue }: TextSearch): Promise<boolean> =>
  advance(matches(bytes), yieldIfDue);

/** Looks at all events that are stored now. */
export async function findInContents(
  store: Pick<ContentsStore, 'lastEvent' | 'blocks' | 'ownRecords'>,
  endpoints: readonly TeamEndpoint[],
  search: TextSearch,
): Promise<Found> {
  const found: Found = { events: new Set(), blocks: new Set(), guids: [] };
  const seqs = endpoints.map(({ seq }) => seq);
  const lastEvent = await store.lastEvent();
  const look = async (record: OwnRecord): Promise<boolean> => {
    if (!(await isInRecord(record, search))) return false;
    if (!found.events.has(record.seq)) {
      const guid = guidOf(record.headers);
      if (guid !== undefined) found.guids.push({ endpoint: record.endpoint, guid });
    }
    found.events.add(record.seq);
    return true;
  };
  for (let after = 0; ; ) {
    search.signal.throwIfAborted();
    const { records, last } = await store.ownRecords(seqs, after, rowsTogether);
    for (const record of records) await look(record);
    if (last === undefined) break;
    after = last;
  }
  // The packer moves events into blocks with higher numbers, which are still to come; and rows of 1.0 into blocks.
  for (let after = 0; ; ) {
    search.signal.throwIfAborted();
    const blocks = await store.blocks(seqs, { after, lastEvent, limit: blocksTogether });
    for (const block of blocks) {
      after = block.seq;
      try {
        const records = block.bytes > maxBlockBytes ? await unpackLargeBlock(block) : unpackBlock(block);
        for (const record of readRecords(records, block.firstEvent))
          if (await look({ ...record, endpoint: block.endpoint })) found.blocks.add(block.seq);
      } catch (error) {
        if (!(error instanceof DamagedError)) throw error;
      }
    }
    if (blocks.length === 0) return found;
  }
}

async function isInRecord({ path, query, sourceIp, headers, body }: OwnRecord, search: TextSearch): Promise<boolean> {
  const head = Buffer.concat([path, space, query ?? space, space, Buffer.from(sourceIp), space, headers]);
  return (await hasText(head, search)) || (body.length > 0 && (await hasText(body, search)));
}

const space = Buffer.from('\n');

function guidOf(headers: Uint8Array): string | undefined {
  if (!asBuffer(headers).toString('latin1').toLowerCase().includes(guidHeader)) return undefined;
  try {
    const pairs = JSON.parse(asBuffer(headers).toString()) as [string, string][];
    return pairs.find(([name]) => name.toLowerCase() === guidHeader)?.[1];
  } catch {
    return undefined;
  }
}

/** The statements that take the text out of what is kept. @param forgetInSchema a stored schema without the text */
export async function forgetKept(
  store: KeptStore,
  teamId: string,
  search: TextSearch,
  forgetInSchema: (shape: Uint8Array, hasText: (text: string) => boolean) => Uint8Array | undefined,
): Promise<InStatement[]> {
  const statements: InStatement[] = [];
  const isIn = (text: string): boolean => {
    const steps = search.matches(Buffer.from(text));
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  };
  for (const kind of store.kinds)
    for await (const { key, values } of store.rows(kind, teamId)) {
      await search.yieldIfDue();
      search.signal.throwIfAborted();
      if (!(await hasText(Buffer.concat(values.length > 1 ? values.flatMap(value => [value, space]) : values), search)))
        continue;
      const [first] = values;
      statements.push(kind.forget(key, kind.isRewritten && first ? forgetInSchema(first, isIn) : undefined));
    }
  return statements;
}
