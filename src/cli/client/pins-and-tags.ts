/* `hooktape pin`, `unpin` and `tag`. */
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { type Arguments, type Io, type Run, UsageError } from '../io.ts';
import { type Api, connect } from './api.ts';
import { findEventId } from './find.ts';
import { printResult, safeLine } from './output.ts';

/** Connects, and finds the event of the first argument. */
async function open(io: Io, given: Arguments): Promise<{ api: Api; path: string }> {
  const api = connect(io, given);
  return { api, path: `/api/events/${encodeURIComponent(await findEventId(api, given.argument(0)))}` };
}

export const runPin: Run = async (given, io) => {
  const { api, path } = await open(io, given);
  // The request would remove a name or note that it does not contain.
  const before = await api.call<EventDetail>('GET', path);
  const name = given.positionals[1]?.replace(/^@/, '') ?? before.pin?.name ?? null;
  const note = given.option('note') ?? before.pin?.note ?? null;
  const event = await api.call<EventSummary>('PUT', `${path}/pin`, { body: { name, note } });
  const as = event.pin?.name == null ? '' : ` as @${safeLine(event.pin.name)}`;
  printResult(io, given, event, `pinned ${safeLine(event.id)}${as}\n`);
};

export const runUnpin: Run = async (given, io) => {
  const { api, path } = await open(io, given);
  printResult(io, given, await api.call('DELETE', `${path}/pin`), `unpinned ${safeLine(given.argument(0))}\n`);
};

export const runTag: Run = async (given, io) => {
  const tags = readTags(given);
  const { api, path } = await open(io, given);
  const event = await api.call<EventSummary>('PUT', `${path}/tags`, { body: { tags } });
  const [id, shown] = [safeLine(event.id), event.tags.map(tag => `#${safeLine(tag)}`).join(' ')];
  printResult(io, given, event, shown === '' ? `${id} has no tags\n` : `tagged ${id} ${shown}\n`);
};

/** Requires a TAG, because forgetting it must not remove the existing tags. @throws UsageError */
function readTags(given: Arguments): string[] {
  const tags = given.positionals.slice(1);
  if (given.flag('none') && tags.length > 0) throw new UsageError('--none removes all tags: leave out TAG');
  if (!given.flag('none') && tags.length === 0) throw new UsageError('TAG is missing; --none removes all tags');
  return tags;
}
