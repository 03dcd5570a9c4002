/* Reports responses to the server in batches. No delivery waits for them; if they fail, only the newest are kept. */
import { maxReportedAttempts, maxRequestBytes } from '../../core/limits.ts';
import { RefusedError } from '../client/api.ts';
import { isWithoutAttempts, type ReportedAttempt } from '../client/report-response.ts';
import { createChanges, type EndpointTask } from './pause.ts';

/** The delay after the first response, and the later interval. */
const soonMs = 300;
const everyMs = 3000;
const maxKept = 1000;
/** Below the server's limit, to leave space for the JSON around the attempts. */
const maxBatchBytes = maxRequestBytes - 4096;

export function createReports({ api, endpointId, pause, signal, notify }: EndpointTask) {
  const waiting: ReportedAttempt[] = [];
  let isRefused = false;
  let hasWarned = false;
  const changes = createChanges();

  const warn = (text: string): void => {
    if (!hasWarned) notify(text);
    hasWarned = true;
  };

  /** @returns how long to wait before the next batch */
  const sendBatch = async (): Promise<number> => {
    const batch = takeBatch(waiting);
    if (batch.length === 0) return 0;
    try {
      await api.call('POST', `/api/endpoints/${endpointId}/attempts`, { body: { attempts: batch } });
      return 0;
    } catch (error) {
      if (isWithoutAttempts(error)) {
        isRefused = true;
        return 0;
      }
      const { status = 0, retryAfterSeconds = everyMs / 1000 } = error instanceof RefusedError ? error : {};
      if (status === 0 || status === 429 || status >= 500) {
        waiting.unshift(...batch);
        return retryAfterSeconds * 1000;
      }
      warn(`responses could not be reported to the server: ${(error as Error).message}`);
      return 0;
    }
  };

  return {
    add(attempt: ReportedAttempt): void {
      if (isRefused) return;
      if (waiting.length >= maxKept) {
        waiting.shift();
        warn('the server is too slow to accept all reports: some responses will be missing from the replays');
      }
      waiting.push(attempt);
      changes.tell();
    },
    async run(): Promise<void> {
      signal.addEventListener('abort', changes.tell);
      while (!signal.aborted) {
        if (waiting.length === 0) await changes.next();
        await pause(soonMs);
        await pause(Math.max(everyMs, await sendBatch()) - soonMs);
      }
    },
    /** Sends the remaining reports, once. */
    async flush(): Promise<void> {
      for (let ms = 0; waiting.length > 0 && ms === 0; ) ms = await sendBatch();
    },
  };
}

/** Removes the first attempts that fit into one request; always at least one. */
export function takeBatch(waiting: ReportedAttempt[]): ReportedAttempt[] {
  let bytes = 0;
  let count = 0;
  for (const attempt of waiting.slice(0, maxReportedAttempts)) {
    bytes += Buffer.byteLength(JSON.stringify(attempt)) + 1;
    if (count > 0 && bytes > maxBatchBytes) break;
    count++;
  }
  return waiting.splice(0, count);
}
