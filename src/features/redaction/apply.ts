/*
 * Applies the present rules of an endpoint to stored events. Ids, order and marks stay; the verdict becomes that of before. A job of the
 * erasures goes on with what is left on the disk, also after a restart.
 */
import type { InStatement } from '@libsql/client';
import { createBlockBuilder, maxBlockBytes, type SignBlock } from '../../core/blocks/event-block.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { basisOf, deliveryNumber } from '../../core/ids/delivery-key.ts';
import { maxRedactedFields } from '../../core/limits.ts';
import type { Redacted, Redaction } from '../../core/redaction/model.ts';
import { compileRedaction } from '../../core/redaction/redact.ts';
import type { StoredForm } from '../../ingest/row-encoder.ts';
import { deliveryIdOf, eventTypeOf } from '../../platforms/platforms.ts';
import type { AppliedRow, ApplyStore } from './apply-store.ts';
import { deriveNumberKey, numberOf, rawOf } from './redact-delivery.ts';

const rowsTogether = 100;
/** Schemas keep no longer texts. */
const maxKeptCharacters = 64;
const maxForgotten = 10_000;

export type Applied = { events: number; changed: number };
type Endpoint = { seq: number; id: string; token: string };
type Content = { path: Buffer; query: Buffer | null; headers: HeaderPair[]; body: Uint8Array };

export function createApplyRedaction(options: {
  store: ApplyStore;
  sign: SignBlock;
  keyOf: (teamId: string) => Uint8Array;
  /** The rules of the endpoint. */
  rulesOf: (endpoint: number) => Promise<Redaction | undefined>;
  /** The matching ones among the events with these row numbers. @throws invalid */
  filterOf: (
    where: string,
    endpoint: Endpoint,
  ) => (seqs: readonly number[]) => Promise<{ has: (seq: number) => boolean }>;
  /** The verdict on an event as it is stored now, in its stored form. */
  verdictOf: (endpoint: Endpoint, row: AppliedRow, content: Content) => Promise<string>;
  /** Takes the texts that it says out of what schemas of the endpoint have of values. */
  forgetInSchemas: (endpoint: number, hasText: (text: string) => boolean) => Promise<void>;
}) {
  const { store, sign } = options;

  /**
   * @param change undefined only counts; gets the statements that must run before a change
   * @throws invalid for the filter
   */
  return async (
    { teamId, endpoint, where }: { teamId: string; endpoint: Endpoint; where: string },
    change: ((seq: number) => InStatement[]) | undefined,
  ): Promise<Applied> => {
    const select = options.filterOf(where, endpoint);
    const rules = await options.rulesOf(endpoint.seq);
    // Loaded here, because the start of the server needs no schemas.
    const { readRedaction } = await import('../../core/redaction/schema.ts');
    const key = options.keyOf(teamId);
    const redact = rules && compileRedaction(readRedaction(rules), key, { isStored: true });
    const applied: Applied = { events: 0, changed: 0 };
    const forgotten = new Set<string>();
    for (let after = 0; ; ) {
      const rows = await store.rows(endpoint.seq, after, rowsTogether);
      const last = rows.at(-1);
      if (!last) return applied;
      after = last.seq;
      const matching = await select(rows.map(({ seq }) => seq));
      for (const row of rows) {
        if (!matching.has(row.seq)) continue;
        applied.events++;
        const content = redact && (await store.content(row));
        if (!content || !redact) continue;
        const { path, query, headers, body, sourceIp } = content;
        const { platform, method, receivedAt, seq } = row;
        const stored = { method, path: latin1(path), query: query && latin1(query), headers, body, sourceIp };
        const texts = new Set<string>();
        const { event, redacted } = redact(stored, ({ before }) => texts.add(before));
        if (!redacted) continue;
        applied.changed++;
        if (!change) continue;
        // First, because the texts are not known any more once the event is replaced.
        const fresh = new Set([...texts].filter(text => text.length <= maxKeptCharacters && !forgotten.has(text)));
        if (fresh.size > 0) await options.forgetInSchemas(endpoint.seq, text => fresh.has(text));
        if (forgotten.size < maxForgotten) for (const text of fresh) forgotten.add(text);
        const eventType = eventTypeOf(rawOf(event), platform);
        const headersJson = JSON.stringify(event.headers);
        const builder = createBlockBuilder();
        const start = builder.add(seq, { ...event, headersJson, receivedAt, eventType, platform, method }) ?? 0;
        const block = builder.bytes() > maxBlockBytes ? await builder.takeLarge(sign) : builder.take(sign);
        const verdict = await options.verdictOf(endpoint, row, { path, query, headers, body });
        const delivery = numberAfter(row, deriveNumberKey(key), { endpoint: endpoint.seq, stored, left: event });
        const merged = merge(row.redacted, redacted);
        const changed = { row, block, start, ...event, eventType, verdict, delivery, redacted: merged };
        await store.replace(endpoint.seq, changed, change(seq));
      }
    }
  };
}

/** What was taken by earlier rules stays taken. */
const merge = (before: Redacted | null, now: Redacted): Redacted =>
  before
    ? {
        rules: Math.max(before.rules, now.rules),
        fields: [...new Set([...before.fields, ...now.fields])].slice(0, maxRedactedFields),
        sha256: before.sha256,
      }
    : now;

/** The number of the delivery, from which nothing can be guessed that is taken out now. Equal deliveries keep equal numbers. */
function numberAfter(
  { delivery, platform, eventType, redacted }: AppliedRow,
  key: Uint8Array,
  { endpoint, stored, left }: { endpoint: number; stored: StoredForm; left: StoredForm },
): number | null {
  if (delivery === null) return null;
  const deliveryId = basisOf(delivery) === 'content' ? undefined : deliveryIdOf(rawOf(stored), platform);
  const isPlain = deliveryId
    ? delivery === deliveryNumber({ ...stored, endpoint, platform, eventType }, deliveryId)
    : basisOf(delivery) === 'content' && !redacted;
  return isPlain
    ? numberOf(key, endpoint, { stored, left, recognition: { platform, eventType, deliveryId } })
    : delivery;
}
