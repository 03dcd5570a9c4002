/*
 * Learns schemas from stored events, in the background: in row order, a few events at a time, and much more slowly while many
 * deliveries arrive. What was learned is saved together with the position, so that a crash neither loses nor counts an event
 * twice. Only JSON bodies are read.
 */

import { isUtf8 } from 'node:buffer';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { asBuffer } from '../../core/encoding/buffer.ts';
import { eventId } from '../../core/ids/ids.ts';
import { endOfByteOrderMark, skipSpace } from '../../core/json/bytes.ts';
import { validateJson } from '../../core/json/validator.ts';
import { maxParsedBodyBytes } from '../../core/limits.ts';
import type { EndpointKey, EventToLearn, LearningStore, NewChange, StoredSchema } from './learning-store.ts';
import { decodeSchema, encodeSchema } from './shapes/codec.ts';
import { observe } from './shapes/observe.ts';
import { newSchema, type Schema } from './shapes/shape.ts';

type SliceResult = 'more' | 'done' | { restMs: number };

const maxEventsPerSlice = 256;
/** The most bytes of bodies in one read. A larger body is read alone. */
const maxBytesPerSlice = 1 << 20;
/** Under load, each slice is followed by a pause of this many times its duration. */
const restFactor = 100;
const maxRestMs = 250;
/** Senders choose the types, so their number is limited. */
const maxSchemasPerEndpoint = 500;
/** The most paths of all schemas in memory together; the least recently used schemas are dropped. */
const maxKeptPaths = 30_000;
/** How long a reader waits for events that have just arrived. */
const maxWaitMs = 500;

type Entry = Omit<StoredSchema, 'shape'> & { schema: Schema };

const sliceBytes = 128 << 10;
/** The bytes with which a JSON text can begin. */
const firstBytes = new Set(Buffer.from('{["-0123456789tfn'));

/** The text of a body that is JSON, without a byte order mark; undefined when the body is not JSON in UTF-8. Yields from time to time. */
function* readJsonText(body: Uint8Array): Generator<undefined, string | undefined> {
  const start = endOfByteOrderMark(body);
  if (!firstBytes.has(body[skipSpace(body, start)] ?? 0)) return undefined;
  const isValid = yield* validateJson(body, { start, sliceBytes });
  return isValid && isUtf8(body) ? asBuffer(body).toString('utf8', start) : undefined;
}

export function createSchemaLearner(options: {
  store: LearningStore;
  addJob: (job: { name: string; slice: () => Promise<SliceResult> }) => { wake: () => void };
  monotonic: () => number;
  /** Whether deliveries wait for their commit, or arrive at a high rate. */
  isBusy: () => boolean;
  /** The time slices of one piece of work. */
  createSlices: () => YieldIfDue;
}) {
  const { store, addJob, monotonic, isBusy, createSlices } = options;
  const kept = createKeptSchemas(store);
  const waiting = createWaiting();
  let position: number | undefined;
  let restUntil = 0;

  /** @returns false when there is nothing to read */
  const learnSome = async (): Promise<boolean> => {
    position ??= await store.position();
    const from = position;
    // After an error, the saved position is unknown.
    position = undefined;
    const { events, to } = await store.eventsAfter(from, maxEventsPerSlice, maxBytesPerSlice);
    if (to === undefined) {
      position = from;
      return false;
    }
    const yieldIfDue = createSlices();
    const texts = await readTexts(store, events, yieldIfDue);
    const changed = new Set<Entry>();
    const changes: NewChange[] = [];
    const entries = await kept.entries(events.filter(({ seq }) => texts.has(seq)).map(keyOf));
    for (const event of events) {
      const text = texts.get(event.seq);
      const entry = entries.get(idOf(keyOf(event)));
      if (text === undefined || !entry) continue;
      changes.push(...(await learn(entry, event, text, yieldIfDue)));
      changed.add(entry);
    }
    const schemas: StoredSchema[] = [];
    for (const { schema, ...entry } of changed) {
      schemas.push({ ...entry, shape: encodeSchema(schema) });
      await yieldIfDue();
    }
    if (await store.save({ schemas, changes, from, to })) position = to;
    else kept.forget();
    kept.shrink();
    return true;
  };

  const slice = async (): Promise<SliceResult> => {
    const startedAt = monotonic();
    if (isBusy() && startedAt < restUntil) return { restMs: Math.min(maxRestMs, restUntil - startedAt) };
    const served = waiting.begin();
    try {
      if (await learnSome()) return 'more';
      served();
      return waiting.isEmpty() ? 'done' : 'more';
    } catch (error) {
      kept.forget();
      throw error;
    } finally {
      const endedAt = monotonic();
      restUntil = endedAt + restFactor * (endedAt - startedAt);
    }
  };

  const { wake } = addJob({ name: 'schemas', slice });
  return {
    /** Call it when there may be new events. */
    wake,

    /** Call it when stored schemas were changed. */
    forget: kept.forget,

    /** Resolves when the events that are stored now have been read, or after half a second. Does not wait under load. */
    async catchUp(): Promise<void> {
      if (isBusy()) return wake();
      const caughtUp = waiting.wait(maxWaitMs);
      wake();
      await caughtUp;
    },
  };
}

/** Callers that wait until all events have been read. */
function createWaiting() {
  let current = new Set<() => void>();
  const started = new Set<() => void>();
  return {
    isEmpty: (): boolean => current.size === 0,

    /**
     * Begins a slice. @returns a function to call when the slice found nothing more: everything that was stored before has been
     * read
     */
    begin(): () => void {
      for (const resolve of current) started.add(resolve);
      current = new Set();
      return () => {
        for (const resolve of started) resolve();
        started.clear();
      };
    },

    wait: (ms: number): Promise<void> =>
      new Promise(resolve => {
        const timer = setTimeout(() => end(), ms);
        const end = (): void => {
          clearTimeout(timer);
          current.delete(end);
          started.delete(end);
          resolve();
        };
        current.add(end);
      }),
  };
}

/** The most recently used schemas, decoded. */
function createKeptSchemas(store: LearningStore) {
  const kept = new Map<string, Entry>();

  /** Adds the entry as the most recently used one. */
  const add = (id: string, entry: Entry): void => {
    kept.delete(id);
    kept.set(id, entry);
  };

  /** Creates missing schemas, up to the limit of their endpoint. */
  const createMissing = async (missing: ReadonlyMap<string, EndpointKey>): Promise<void> => {
    const byEndpoint = Map.groupBy(missing, ([, { endpoint }]) => endpoint);
    for (const [endpoint, keys] of byEndpoint) {
      const left = maxSchemasPerEndpoint - (await store.countOf(endpoint));
      for (const [id, key] of keys.slice(0, Math.max(0, left)))
        add(id, { ...key, count: 0, firstAt: Infinity, lastAt: 0, changedAt: 0, schema: newSchema() });
    }
  };

  return {
    /** The schemas with these keys, by `idOf`. Schemas beyond the limit of their endpoint are left out. */
    async entries(keys: readonly EndpointKey[]): Promise<Map<string, Entry>> {
      const missing = new Map(keys.map(key => [idOf(key), key] as const).filter(([id]) => !kept.has(id)));
      for (const { shape, ...row } of missing.size > 0 ? await store.schemas([...missing.values()]) : []) {
        const id = idOf(row);
        missing.delete(id);
        // A stored shape that cannot be decoded is learned again.
        add(id, { ...row, schema: decodeSchema(shape) ?? newSchema() });
      }
      await createMissing(missing);
      const entries = new Map<string, Entry>();
      for (const key of keys) {
        const id = idOf(key);
        const entry = kept.get(id);
        if (!entry || entries.has(id)) continue;
        entries.set(id, entry);
        add(id, entry);
      }
      return entries;
    },

    forget: (): void => kept.clear(),

    /** Drops the least recently used schemas. */
    shrink(): void {
      let paths = 0;
      for (const { schema } of kept.values()) paths += schema.paths;
      for (const [id, { schema }] of kept) {
        if (paths <= maxKeptPaths) return;
        kept.delete(id);
        paths -= schema.paths;
      }
    },
  };
}

const idOf = ({ endpoint, platform, type }: EndpointKey): string => JSON.stringify([endpoint, platform, type]);

const keyOf = ({ endpoint, platform, eventType }: EventToLearn): EndpointKey => ({
  endpoint,
  platform: platform ?? '',
  // In the URL of a schema, `-` means without a type.
  type: eventType === null || eventType === '-' ? '' : eventType,
});

/** The bodies that are JSON, by row number. */
async function readTexts(
  store: LearningStore,
  events: readonly EventToLearn[],
  yieldIfDue: YieldIfDue,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  await store.readBodies(
    events.filter(({ size }) => size > 0 && size <= maxParsedBodyBytes),
    async ({ seq }, body) => {
      const text = await runInSlices(readJsonText(body), yieldIfDue);
      if (text !== undefined) texts.set(seq, text);
    },
    yieldIfDue,
  );
  return texts;
}

/** Merges the event into its schema. */
async function learn(
  entry: Entry,
  { endpoint, seq, nonce, receivedAt: at }: EventToLearn,
  text: string,
  yieldIfDue: YieldIfDue,
): Promise<NewChange[]> {
  const { changes, isChanged } = await runInSlices(observe(entry.schema, text), yieldIfDue);
  entry.count++;
  entry.firstAt = Math.min(entry.firstAt, at);
  entry.lastAt = Math.max(entry.lastAt, at);
  if (isChanged) entry.changedAt = at;
  const { platform, type } = entry;
  return changes.map(change => ({ ...change, endpoint, platform, type, at, eventId: eventId(seq, nonce) }));
}

async function runInSlices<T>(work: Generator<undefined, T>, yieldIfDue: YieldIfDue): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await yieldIfDue();
  }
}
