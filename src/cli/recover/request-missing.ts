/* Asks GitHub for deliveries, at most three times each, and reads the endpoint's feed until they are stored. */
import type { FeedPage } from '../../features/feed/model.ts';
import type { Io } from '../io.ts';
import { createFeedReader } from '../listen/feed-reader.ts';
import { createChanges, createPacer, type EndpointTask } from '../listen/pause.ts';
import { createProgress } from '../progress.ts';
import { type Github, type GithubDelivery, LimitedError } from './github.ts';
import { idHeader } from './recorded.ts';

export type Recovery = {
  /** GUIDs. */
  requested: Set<string>;
  recovered: Set<string>;
  /** By GUID: why GitHub refused the last request. */
  problems: Map<string, string>;
};

export const noRecovery = (): Recovery => ({ requested: new Set(), recovered: new Set(), problems: new Map() });

const maxRequests = 3;
/** GitHub has secondary limits for requests that change something. */
const pace = { burst: 5, perS: 1 };
/** The pauses before the second and the third request, at most, and as a part of `--within`. */
const pausesMs = [60_000, 300_000];
const partOfWithin = 1 / 4;

type Wanted = GithubDelivery & { requests: number; dueAt: number };

/**
 * @param task its signal must end when this resolves @param after feed position
 * @param deadline until when to wait (monotonic); moves on while deliveries are requested for the first time
 * @throws OperationError if GitHub or the server refuses
 */
export async function requestMissing(options: {
  io: Pick<Io, 'clock' | 'isTerminal' | 'stderr'>;
  task: EndpointTask;
  github: Pick<Github, 'redeliver'>;
  missing: readonly GithubDelivery[];
  after: string;
  withinMs: number;
  deadline: { at: number };
}): Promise<Recovery> {
  const { io, task, github, missing, after, withinMs, deadline } = options;
  const { monotonic } = io.clock;
  const recovery = noRecovery();
  const waiting = new Map<string, Wanted>(missing.map(one => [one.guid, { ...one, requests: 0, dueAt: 0 }]));
  const arrivals = createChanges();
  const pacer = createPacer(io.clock, pace);
  const progress = createProgress(io, missing.length);
  const all = Promise.withResolvers<void>();
  let isLimited = false;

  const onPage = async ({ events }: FeedPage): Promise<void> => {
    for (const { rawHeaders } of events)
      for (const [name, value] of rawHeaders ?? [])
        if (name.toLowerCase() === idHeader && waiting.delete(value)) recovery.recovered.add(value);
    arrivals.tell();
    if (waiting.size === 0) all.resolve();
  };
  const reader = createFeedReader({
    ...task,
    clock: io.clock,
    where: `has:header.${idHeader}`,
    after,
    untilWanted: async () => {},
    onPage,
    onState: problem => problem !== undefined && task.notify(`${problem}; retrying`),
  });

  const request = async (wanted: Wanted): Promise<void> => {
    await task.pause(pacer.take());
    if (!waiting.has(wanted.guid)) return;
    // It may arrive before GitHub responds.
    recovery.requested.add(wanted.guid);
    try {
      const problem = await github.redeliver(wanted.id);
      if (problem === undefined) recovery.problems.delete(wanted.guid);
      else recovery.problems.set(wanted.guid, problem);
    } catch (error) {
      if (!(error instanceof LimitedError)) throw error;
      task.notify(`${error.message}: run the command again then, or with a longer --within`);
      if (wanted.requests === 0) recovery.requested.delete(wanted.guid);
      isLimited = true;
      return;
    }
    if (wanted.requests === 0) deadline.at = monotonic() + withinMs;
    const pauseMs = Math.min(pausesMs[wanted.requests++] ?? 0, withinMs * partOfWithin);
    wanted.dueAt = monotonic() + pauseMs;
  };

  const run = async (): Promise<void> => {
    while (!task.signal.aborted && monotonic() < deadline.at) {
      const { requested, recovered } = recovery;
      progress.show(recovered.size, `${requested.size} of ${missing.length} requested, ${recovered.size} stored`);
      const next = isLimited ? undefined : firstDue(waiting.values());
      const waitMs = Math.min(next?.dueAt ?? Number.POSITIVE_INFINITY, deadline.at) - monotonic();
      if (waitMs > 0) await Promise.race([task.pause(waitMs), arrivals.next()]);
      else if (next) await request(next);
    }
  };

  try {
    // The reader ends only with an error, or with the signal. A request may be waiting for a rate limit.
    await Promise.race([run(), reader.run(), all.promise]);
    return recovery;
  } finally {
    progress.clear();
  }
}

function firstDue(all: Iterable<Wanted>): Wanted | undefined {
  let first: Wanted | undefined;
  for (const one of all) if (one.requests < maxRequests && (!first || one.dueAt < first.dueAt)) first = one;
  return first;
}
