/*
 * How much time a replay adds to the destination's response time. Each event is sent to a local destination twice, directly and
 * as a replay; the added time is the difference. Alternating makes disturbances of the machine affect both.
 */
import { createApi } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import type { History } from './history-data.ts';
import { startBaseline, startOnDataSet } from './processes.ts';
import type { Row } from './report.ts';
import { percentile } from './statistics.ts';

/** The first replays after a start include just-in-time compilation, so they are reported separately. */
const warmUpRequests = 300;
const firstRequests = 100;

export async function replayRows(
  history: History,
  { requests }: { requests: number },
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const [server, destination] = await Promise.all([startOnDataSet(history.dataDir), startBaseline()]);
  try {
    const api = createApi(server.origin, history.key);
    const { value: page } = await api.events(history.all).next();
    const ids = ((page?.events ?? []) as { id: string }[]).map(({ id }) => id);
    const bodies = await Promise.all(ids.map(api.raw));
    const url = `${destination.origin}/hook`;
    const direct: number[] = [];
    const added: number[] = [];
    const addedFirst: number[] = [];
    for (let number = -warmUpRequests; number < requests; number++) {
      const index = (number + warmUpRequests) % ids.length;
      const directMs = await timed(() =>
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', connection: 'close' },
          body: (bodies[index] ?? new Uint8Array()) as Uint8Array<ArrayBuffer>,
        }),
      );
      const replayedMs = await timed(() =>
        fetch(`${server.origin}/api/events/${ids[index]}/replay`, {
          method: 'POST',
          headers: { authorization: `Bearer ${history.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ url }),
        }),
      );
      if (number < firstRequests - warmUpRequests) addedFirst.push(replayedMs - directMs);
      if (number < 0) continue;
      direct.push(directMs);
      added.push(replayedMs - directMs);
    }
    for (const times of [direct, added, addedFirst]) times.sort((a, b) => a - b);
    const row = (percent: number): Row => ({
      what: `replay to a loopback destination, time added, p${percent}`,
      ours: percentile(added, percent),
      unit: 'ms',
      goal: { atMost: 3 },
    });
    const rows = [
      row(50),
      row(95),
      { what: `  of the first ${firstRequests} after a start, p50`, ours: percentile(addedFirst, 50), unit: 'ms' },
      { what: "  the destination's own time, p50", ours: percentile(direct, 50), unit: 'ms' },
      { what: "  the destination's own time, p95", ours: percentile(direct, 95), unit: 'ms' },
    ];
    return { rows, details: { replay: { requests, addedP99: percentile(added, 99) } } };
  } finally {
    await Promise.all([server.end(), destination.end()]);
  }
}

/** Milliseconds until the complete response has arrived. @throws if the status is not 200 */
async function timed(send: () => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  const response = await send();
  const text = await response.text();
  const ms = performance.now() - startedAt;
  ensure(response.status === 200, `${response.url}: ${response.status} ${text}`);
  return ms;
}
