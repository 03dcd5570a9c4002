/* Packs events for the inserts of store.ts: blocks by endpoint, and a few numbers and bytes per row. Pure, for any thread. */
import type { Outcome } from '../core/answers/model.ts';
import { signBlock } from '../core/blocks/block-signature.ts';
import {
  checksumBytes,
  createBlockBuilder,
  maxBlockBytes,
  type PackedBlock,
  type SignBlock,
} from '../core/blocks/event-block.ts';
import { nonceBytes } from '../core/ids/ids.ts';
import type { Redacted } from '../core/redaction/model.ts';
import { previewOf } from '../core/text.ts';
import { rowErrorCode } from './group-commit.ts';
import type { NewEvent } from './row-encoder.ts';

/**
 * `numbers`: the head (`readHead`), then the numbers of each block (`blockNumbers`), each signature (`signatureNumbers`) and each row
 * (`rowNumbers`); NaN is null. `bytes`: checksum and content of each block, facts and filters of each signature, the nonces of the rows,
 * and the labels.
 */
export type PackedRows = {
  count: number;
  numbers: Float64Array;
  bytes: Uint8Array;
  large?: LargeRow[];
  outcomes?: RowOutcome[];
  redactions?: RowRedaction[];
  /** Positions in the batch of the events with an invalid signature. */
  invalid?: number[];
};

/** The stored outcome of an event. `row`: position in the batch. */
export type RowOutcome = { row: number; endpoint: number; receivedAt: number; outcome: Outcome };

/** What rules took out of an event. `row`: position in the batch. */
export type RowRedaction = { row: number; endpoint: number; receivedAt: number; redacted: Redacted };

/** The list values of a large event, in its row so that a list does not unpack the event. `row`: position in the batch. */
export type LargeRow = { row: number; preview: Uint8Array; path: Uint8Array; query: Uint8Array | null };

export type PackedHead = {
  /** The row number of the first event if it was reserved before; NaN if the database assigns the numbers. */
  first: number;
  blocks: number;
  blocksAt: number;
  signaturesAt: number;
  rowsAt: number;
  /** Offsets in `bytes`. */
  filtersAt: number;
  noncesAt: number;
};

const headNumbers = 4;

export function readHead({ numbers }: PackedRows): PackedHead {
  const [first = 0, blocks = 0, filtersAt = 0, noncesAt = 0] = numbers;
  const signaturesAt = headNumbers + blocks * blockNumbers.length;
  const rowsAt = signaturesAt + blocks * signatureNumbers.length;
  return { first, blocks, blocksAt: headNumbers, signaturesAt, rowsAt, filtersAt, noncesAt };
}

/** `first`, `last`: positions of events in the batch. `start`: offset of the checksum in `bytes`, followed by `length` bytes of content. */
export const blockNumbers = ['endpoint', 'first', 'last', 'events', 'size', 'encoding', 'start', 'length'] as const;
/**
 * One per block, in the same order. `newest`, `oldest`: times of receipt. `start`: offset of the facts in `bytes`; they are followed by a
 * filter of `length` bytes, and one of `value_length` bytes.
 */
export const signatureNumbers = ['newest', 'oldest', 'start', 'length', 'value_length'] as const;
/**
 * `place`: the block's position in the batch, and the event's offset in it (placeBits). `label`: the offset of its method,
 * platform, event type and verdict after `noncesAt`. `lengths`: one more than the length of each, 0 for null (lengthBits).
 */
export const rowNumbers = ['endpoint', 'received_at', 'size', 'place', 'label', 'lengths', 'delivery'] as const;
/** A block begins with an event, so only small ones have more than one, and these begin within 64 KiB. */
export const placeBits = 20;
/** 52 bits in total: a number bound as REAL holds them exactly. */
export const lengthBits = { method: 14, platform: 10, eventType: 12, verdict: 16 } as const;

const labelNames = ['method', 'platform', 'eventType', 'verdict'] as const satisfies (keyof typeof lengthBits)[];

/** @param first of consecutive row numbers, if already reserved @param sign computes a block's search signature */
export function packRows(
  events: readonly NewEvent[],
  first = Number.NaN,
  sign: SignBlock | null = signBlock,
): PackedRows {
  const contents: Contents = { blocks: [], endpoints: [], places: new Float64Array(events.length) };
  for (const [endpoint, positions] of byEndpoint(events)) packEndpoint(events, endpoint, positions, sign, contents);
  const { blocks, endpoints, places } = contents;

  const labels = createLabels();
  const labelsFrom = events.length * nonceBytes;
  const rows = new Float64Array(events.length * rowNumbers.length);
  let next = 0;
  for (const [i, event] of events.entries()) {
    const label = labels.of(event);
    rows[next++] = event.endpoint;
    rows[next++] = event.receivedAt;
    rows[next++] = event.body.length;
    rows[next++] = places[i] ?? 0;
    rows[next++] = labelsFrom + label.at;
    rows[next++] = label.lengths;
    rows[next++] = event.delivery;
  }
  const { packed, noncesAt } = packParts(blocks, endpoints, { first, rows, rowBytes: labelsFrom + labels.bytes() });
  let at = noncesAt;
  for (const { nonce } of events) {
    packed.bytes.set(nonce, at);
    at += nonceBytes;
  }
  labels.write(packed.bytes, at);
  const large = events.flatMap((event, row) => (event.body.length > maxBlockBytes ? [toLargeRow(event, row)] : []));
  const outcomes = events.some(({ outcome }) => outcome) ? events.flatMap(toRowOutcome) : [];
  const redactions = events.some(({ redacted }) => redacted) ? events.flatMap(toRowRedaction) : [];
  const invalid = events.flatMap(({ isInvalid }, row) => (isInvalid ? [row] : []));
  return {
    ...packed,
    ...(large.length > 0 && { large }),
    ...(outcomes.length > 0 && { outcomes }),
    ...(redactions.length > 0 && { redactions }),
    ...(invalid.length > 0 && { invalid }),
  };
}

const toRowOutcome = ({ endpoint, receivedAt, outcome }: NewEvent, row: number): RowOutcome[] =>
  outcome ? [{ row, endpoint, receivedAt, outcome }] : [];

const toRowRedaction = ({ endpoint, receivedAt, redacted }: NewEvent, row: number): RowRedaction[] =>
  redacted ? [{ row, endpoint, receivedAt, redacted }] : [];

/** Copies, because posting a view would post its complete buffer. */
const toLargeRow = ({ path, query, body }: NewEvent, row: number): LargeRow => ({
  row,
  preview: Uint8Array.from(previewOf(body)),
  path: Uint8Array.from(Buffer.from(path, 'latin1')),
  query: query === null ? null : Uint8Array.from(Buffer.from(query, 'latin1')),
});

/** Packs blocks of one endpoint without rows; their event positions are row numbers. */
export const packBlocks = (endpoint: number, blocks: readonly PackedBlock[]): PackedRows =>
  packParts(
    blocks,
    blocks.map(() => endpoint),
    { first: 0, rows: new Float64Array(0), rowBytes: 0 },
  ).packed;

/** Writes the numbers, and the bytes of the blocks. */
function packParts(
  blocks: readonly PackedBlock[],
  endpoints: readonly number[],
  { first, rows, rowBytes }: { first: number; rows: Float64Array; rowBytes: number },
): { packed: PackedRows & { bytes: Buffer }; noncesAt: number } {
  const numbersPerBlock = blockNumbers.length + signatureNumbers.length;
  const numbers = new Float64Array(headNumbers + blocks.length * numbersPerBlock + rows.length);
  let next = headNumbers;
  let filtersAt = 0;
  for (const [i, block] of blocks.entries()) {
    const { firstEvent, lastEvent, events, bytes, encoding, content } = block;
    numbers.set([endpoints[i] ?? 0, firstEvent, lastEvent, events, bytes, encoding, filtersAt, content.length], next);
    next += blockNumbers.length;
    filtersAt += checksumBytes + content.length;
  }
  let noncesAt = filtersAt;
  for (const { signature } of blocks) {
    const { newest, oldest, facts, filter, values } = signature;
    numbers.set([newest, oldest, noncesAt, filter.length, values.length], next);
    next += signatureNumbers.length;
    noncesAt += facts.length + filter.length + values.length;
  }
  numbers.set(rows, next);
  numbers.set([first, blocks.length, filtersAt, noncesAt]);
  const bytes = Buffer.allocUnsafeSlow(noncesAt + rowBytes);
  let at = 0;
  const write = (part: Uint8Array): void => {
    bytes.set(part, at);
    at += part.length;
  };
  for (const { checksum, content } of blocks) {
    write(checksum);
    write(content);
  }
  for (const { signature } of blocks) {
    write(signature.facts);
    write(signature.filter);
    write(signature.values);
  }
  return { packed: { count: rows.length / rowNumbers.length, numbers, bytes }, noncesAt };
}

function byEndpoint(events: readonly NewEvent[]): Map<number, number[]> {
  const endpoints = new Map<number, number[]>();
  for (let i = 0; i < events.length; i++) {
    const { endpoint } = events[i] as NewEvent;
    const positions = endpoints.get(endpoint);
    if (positions) positions.push(i);
    else endpoints.set(endpoint, [i]);
  }
  return endpoints;
}

/** Reused, because most batches are small. */
const builder = createBlockBuilder();

type Contents = { blocks: PackedBlock[]; endpoints: number[]; places: Float64Array };

function packEndpoint(
  events: readonly NewEvent[],
  endpoint: number,
  positions: readonly number[],
  sign: SignBlock | null,
  { blocks, endpoints, places }: Contents,
): void {
  // An earlier error may have left events in it.
  builder.clear();
  const take = (): void => {
    blocks.push(builder.take(sign));
    endpoints.push(endpoint);
  };
  for (const i of positions) {
    const event = events[i] as NewEvent;
    let start = builder.add(i, event);
    if (start === undefined) {
      take();
      start = builder.add(i, event) ?? 0;
    }
    places[i] = blocks.length * 2 ** placeBits + start;
  }
  take();
}

/** Collects the short texts of rows. Most rows of a batch share them, so equal ones are stored once. */
function createLabels() {
  const known = new Map<string, { at: number; lengths: number }>();
  const texts: string[] = [];
  let used = 0;
  return {
    of: (event: NewEvent): { at: number; lengths: number } => {
      const { method, platform, eventType, verdict } = event;
      const key = `${method}\n${platform === null}${platform}\n${eventType === null}${eventType}\n${verdict}`;
      let label = known.get(key);
      if (!label) {
        label = { at: used, lengths: 0 };
        for (const name of labelNames) {
          const text = event[name];
          const length = text === null ? -1 : Buffer.byteLength(text);
          if (length + 1 >= 2 ** lengthBits[name])
            throw Object.assign(new RangeError(`${name} is too long`), { code: rowErrorCode });
          label.lengths = label.lengths * 2 ** lengthBits[name] + length + 1;
          if (text !== null) texts.push(text);
          used += Math.max(0, length);
        }
        known.set(key, label);
      }
      return label;
    },
    bytes: (): number => used,
    write: (buffer: Buffer, from: number): void => {
      let at = from;
      for (const text of texts) at += buffer.write(text, at, 'utf8');
    },
  };
}
