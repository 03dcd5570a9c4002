/* `--save`: the events as the server exports them, as HAR if the file's name ends in .har. */
import type { EventSummary } from '../../features/events/model.ts';
import { type Api, reach } from '../client/api.ts';
import type { Io } from '../io.ts';
import { ownerOnly, writeFile } from './files.ts';

/** The most ids that one export accepts. */
const idsAtOnce = 200;

type History = { events: unknown[]; damaged?: { count: number; ids: string[] } };
type Archive = { log: { entries: unknown[]; _damaged?: { count: number; ids: string[] } } };

/** @throws OperationError if the file cannot be written */
export async function saveEvents(
  io: Pick<Io, 'random'>,
  api: Api,
  { endpointId, file, events }: { endpointId: string; file: string; events: readonly EventSummary[] },
): Promise<void> {
  const format = /\.har$/i.test(file) ? 'har' : 'json';
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/export`;
  const ids = events.map(({ id }) => id);
  const target = { file, mode: ownerOnly };
  const open = (some: readonly string[]): Promise<Response> => api.open(path, { format, ids: some.join(',') });
  if (ids.length <= idsAtOnce) return writeFile(io, target, chunksOf(api, await open(ids)));
  const parts: unknown[] = [];
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const response = await open(ids.slice(at, at + idsAtOnce));
    parts.push(await reach(api.server.url, () => response.json()));
  }
  const whole = format === 'har' ? joinArchives(parts as Archive[]) : joinHistories(parts as History[]);
  return writeFile(io, target, [Buffer.from(`${JSON.stringify(whole)}\n`)]);
}

async function* chunksOf(api: Api, response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  while (reader) {
    const { value, done } = await reach(api.server.url, () => reader.read());
    if (done) return;
    yield value;
  }
}

const joinHistories = (parts: readonly History[]): History => ({
  ...(parts[0] as History),
  events: parts.flatMap(({ events }) => events),
});

const joinArchives = (parts: readonly Archive[]): Archive => ({
  log: { ...(parts[0] as Archive).log, entries: parts.flatMap(({ log }) => log.entries) },
});
