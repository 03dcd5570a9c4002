/*
 * The consumer that holds a listener's position on the server. It is moved only to positions that the caller has settled, at most
 * every few seconds, and once more at the end. Losing a write costs repeats after a restart, never an event.
 */
import type { Consumer } from '../../features/consumers/model.ts';
import { type Api, RefusedError, whenRefused } from '../client/api.ts';
import { createChanges, type EndpointTask } from './pause.ts';

type Versioned = { consumer: Consumer; etag: string | undefined };

/** The delay after the first event, and the later interval. After a kill, the events settled since are repeated. */
const soonMs = 300;
const everyMs = 3000;

export const consumerPath = (endpointId: string, name: string): string =>
  `/api/endpoints/${endpointId}/consumers/${name}`;

/** @returns undefined if there is no such consumer */
export async function readConsumer(api: Api, endpointId: string, name: string): Promise<Versioned | undefined> {
  const asked = api.callWithHeaders<Consumer>('GET', consumerPath(endpointId, name));
  return asked.then(versioned).catch(whenRefused(404, () => undefined));
}

const versioned = ({ body, headers }: { body: Consumer; headers: Headers }): Versioned => ({
  consumer: body,
  etag: headers.get('etag') ?? undefined,
});

/** @param condition a header, such as If-Match @throws RefusedError */
export async function putConsumer(
  api: Api,
  { endpointId, name, cursor, rewind = false }: { endpointId: string; name: string; cursor: string; rewind?: boolean },
  condition: Readonly<Record<string, string>> = {},
): Promise<Versioned> {
  const asked = { body: { cursor, rewind }, headers: condition };
  return versioned(await api.callWithHeaders<Consumer>('PUT', consumerPath(endpointId, name), asked));
}

export function createPosition(
  given: EndpointTask & {
    name: string;
    /** The consumer's ETag when the session began. */
    etag: string | undefined;
    /** How many events come after the saved position. */
    onSaved: (behind: number) => void;
  },
) {
  const { api, endpointId, name, pause, signal, notify, onSaved } = given;
  let { etag } = given;
  let wanted: string | undefined;
  let saved: string | undefined;
  /** The last position sent, perhaps without a response. */
  let sent: string | undefined;
  let hasWarned = false;
  let saving: Promise<void> = Promise.resolve();
  const changes = createChanges();

  const put = async (cursor: string, condition: Readonly<Record<string, string>>): Promise<void> => {
    const result = await putConsumer(api, { endpointId, name, cursor }, condition);
    etag = result.etag;
    saved = cursor;
    onSaved(result.consumer.behind);
  };

  /** The position has changed: either by our own write, whose response was lost, or by another listener. */
  const reconcile = async (before: string | undefined, cursor: string): Promise<void> => {
    const current = await readConsumer(api, endpointId, name);
    const isOurs = current === undefined || current.consumer.cursor === before || current.consumer.cursor === saved;
    if (!isOurs && !hasWarned) {
      hasWarned = true;
      notify(
        `another listener named ${name} uses the same position: both get all events, but after a restart each continues from the later one. Use --as to give one of them another name`,
      );
    }
    // Without a condition: a position that is ahead of ours stays, because the server refuses to move back.
    await put(cursor, {}).catch(
      whenRefused(409, () => {
        etag = current?.etag;
        saved = cursor;
      }),
    );
  };

  const save = async (): Promise<void> => {
    if (wanted === undefined || wanted === saved) return;
    const cursor = wanted;
    const before = sent;
    sent = cursor;
    try {
      await put(cursor, etag === undefined ? {} : { 'if-match': etag });
    } catch (error) {
      if (!(error instanceof RefusedError) || (error.status !== 412 && error.status !== 409)) throw error;
      await reconcile(before, cursor);
    }
  };
  const saveInTurn = (): Promise<void> => {
    saving = saving.catch(() => {}).then(save);
    return saving;
  };

  return {
    /** The newest position to save. */
    moveTo(cursor: string): void {
      wanted = cursor;
      changes.tell();
    },
    /** Saves until the signal of the session ends it. */
    async run(): Promise<void> {
      signal.addEventListener('abort', changes.tell);
      while (!signal.aborted) {
        if (wanted === saved) await changes.next();
        await pause(soonMs);
        // The reader of the feed meets and reports the same error; the next round tries again.
        await saveInTurn().catch(() => {});
        await pause(everyMs - soonMs);
      }
    },
    /** Saves the position if it has moved. @throws RefusedError, UnreachableError */
    flush: saveInTurn,
  };
}
