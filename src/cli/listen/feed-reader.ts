/*
 * Reads the feed of one endpoint from a position on, for as long as the session lasts. If the server cannot be reached, or
 * sends no byte for 45 s, the reader retries from the last page that was read. Only permanent errors end it: an invalid key, or
 * a deleted endpoint.
 */
import type { FeedPage } from '../../features/feed/model.ts';
import { RefusedError } from '../client/api.ts';
import { OperationError, UnreachableError } from '../io.ts';
import { createPacer, type EndpointTask } from './pause.ts';

const waitSeconds = 25;
export const silenceMs = 45_000;
const pageEvents = 100;
const firstRetryMs = 500;
const maxRetryMs = 15_000;
/** Calls that wait for events: half of a key's default rate limit, because reports and positions need requests, too. */
const pace = { burst: 30, perS: 1 };

/** Includes a response that is not from the server, such as one from a proxy that is starting up. */
function isPassing(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status >= 500 || error.status === 408;
  return error instanceof UnreachableError || error instanceof OperationError;
}

export function createFeedReader(
  given: EndpointTask & {
    clock: { monotonic: () => number };
    where: string | undefined;
    /** The start position. */
    after: string;
    /** Resolves when more events can be accepted. */
    untilWanted: () => Promise<void>;
    /** Called for one page at a time; its errors are treated like a failure to read. */
    onPage: (page: FeedPage, after: string) => Promise<void>;
    /** `undefined` if there is a connection. */
    onState: (problem: string | undefined) => void;
  },
) {
  const { api, clock, endpointId, where, pause, signal, untilWanted, onPage, onState, notify } = given;
  let cursor = given.after;
  let failures = 0;
  let isBehind = false;
  const pacer = createPacer(clock, pace);

  const readPage = async (): Promise<void> => {
    // The first call after a failure does not wait for events, so that the connection is known to be back.
    const wait = failures > 0 ? 0 : waitSeconds;
    const query = { after: cursor, where, limit: pageEvents, wait, content: 'full' };
    const page = await api.call<FeedPage>('GET', `/api/endpoints/${endpointId}/feed`, { query, signal, silenceMs });
    onState(undefined);
    await onPage(page, cursor);
    cursor = page.cursor;
    failures = 0;
    isBehind = page.more;
  };

  /** @returns how long to wait @throws permanent errors */
  const recover = (error: unknown): number => {
    if (error instanceof RefusedError && error.status === 429) {
      const ms = (error.retryAfterSeconds ?? 1) * 1000;
      notify(`rate limit of the server reached; continuing in ${Math.ceil(ms / 1000)} s`);
      return ms;
    }
    if (!isPassing(error)) throw error;
    onState((error as Error).message);
    return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures++, 10));
  };

  return {
    async run(): Promise<void> {
      while (!signal.aborted) {
        await untilWanted();
        if (signal.aborted) return;
        const ms = isBehind ? 0 : pacer.take();
        if (ms > 0) await pause(ms);
        try {
          await readPage();
        } catch (error) {
          if (signal.aborted) return;
          await pause(recover(error));
        }
      }
    },
  };
}
