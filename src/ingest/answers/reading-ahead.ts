/*
 * Reads the fields of a delivery's body that the rules of its endpoint need before the delivery joins a batch, if that takes
 * long. While a batch is decided, all other deliveries wait, and users decide how large bodies are and how many filters there
 * are. Here, only the deliveries of the same endpoint wait, one after the other. There is a time limit; filters that were not
 * evaluated by then do not match.
 */
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import { isLongReading } from '../../core/filter/evaluate.ts';
import { createEventContent, type EventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import { readFilters } from '../../core/filter/read-filters.ts';
import { readFieldLines } from '../../core/headers.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { Delivery, Destination } from '../delivery.ts';

/** `content`: remembers what the evaluated filters found. `leftOut`: filters that were not completely evaluated. */
export type ReadAhead = { content: EventContent; leftOut: ReadonlySet<Filter> };

export type ReadingAhead = ReturnType<typeof createReadingAhead>;

const defaultLimitMs = 5000;

/** @param limitMs the time limit of one delivery, without the pauses */
export function createReadingAhead({
  monotonic,
  limitMs = defaultLimitMs,
}: {
  monotonic: () => number;
  limitMs?: number;
}) {
  const found = new WeakMap<Delivery, ReadAhead>();
  const turns = createSemaphore(1);

  const read = async (delivery: Delivery, filters: readonly Filter[]): Promise<void> => {
    const { query, body, fields, receivedAt } = delivery;
    const content = createEventContent({ headers: readFieldLines(fields), query, body });
    const facts = { ...factsOf(delivery), content };
    const { leftOut } = await readFilters(filters, facts, receivedAt, {
      monotonic,
      yieldIfDue: createTimeSlices({ monotonic }),
      limitMs,
    });
    found.set(delivery, { content, leftOut });
  };

  return {
    /** @returns undefined if reading does not take long */
    prepare({ seq, policy }: Destination, delivery: Delivery): Promise<void> | undefined {
      const filters = policy?.rules?.rules.flatMap(({ when }) => when ?? []) ?? [];
      if (!isLongReading(filters, delivery.body.length)) return undefined;
      return turns.run(String(seq), () => read(delivery, filters));
    },

    of: (delivery: Delivery): ReadAhead | undefined => found.get(delivery),
  };
}

/** The facts about a delivery before its sender is recognised. */
export const factsOf = ({ method, path, receivedAt, body, sourceIp }: Delivery) =>
  ({
    method,
    path,
    receivedAt,
    size: body.length,
    sourceIp,
    tags: [],
    isPinned: false,
    isReplayed: false,
    isEdited: false,
    isRefused: false,
    isRedacted: false,
  }) satisfies Partial<EventFacts>;
