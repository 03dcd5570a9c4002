/* `hooktape pin`, `unpin` and `tag`. */
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { exitCodes, type Io, type Run, UsageError } from '../io.ts';
import { type Api, connect } from './api.ts';
import { type ClientArguments, parseClientArguments } from './client-arguments.ts';
import { findEventId } from './find.ts';
import { printJson, safeLine } from './output.ts';

/** Connects, and finds the event of the first argument. */
async function open(io: Io, given: ClientArguments): Promise<{ api: Api; path: string }> {
  const api = connect(io, given);
  return { api, path: `/api/events/${encodeURIComponent(await findEventId(api, given.argument(0)))}` };
}

export const runPin: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const { api, path } = await open(io, given);
  // The request would remove a name or note that it does not contain.
  const before = await api.call<EventDetail>('GET', path);
  const name = given.positionals[1]?.replace(/^@/, '') ?? before.pin?.name ?? null;
  const note = given.option('note') ?? before.pin?.note ?? null;
  const event = await api.call<EventSummary>('PUT', `${path}/pin`, { body: { name, note } });
  if (given.json) printJson(io, event);
  else io.stdout(`pinned ${safeLine(event.id)}${event.pin?.name == null ? '' : ` as @${safeLine(event.pin.name)}`}\n`);
  return exitCodes.done;
};

export const runUnpin: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const { api, path } = await open(io, given);
  const done = await api.call('DELETE', `${path}/pin`);
  if (given.json) printJson(io, done);
  else io.stdout(`unpinned ${safeLine(given.argument(0))}\n`);
  return exitCodes.done;
};

export const runTag: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const tags = readTags(given);
  const { api, path } = await open(io, given);
  const event = await api.call<EventSummary>('PUT', `${path}/tags`, { body: { tags } });
  if (given.json) printJson(io, event);
  else if (event.tags.length === 0) io.stdout(`${safeLine(event.id)} has no tags\n`);
  else io.stdout(`tagged ${safeLine(event.id)} ${event.tags.map(tag => `#${safeLine(tag)}`).join(' ')}\n`);
  return exitCodes.done;
};

/** Requires a TAG, because forgetting it must not remove the existing tags. @throws UsageError */
function readTags(given: ClientArguments): string[] {
  const tags = given.positionals.slice(1);
  if (given.flag('none') && tags.length > 0) throw new UsageError('--none removes all tags: leave out TAG');
  if (!given.flag('none') && tags.length === 0) throw new UsageError('TAG is missing; --none removes all tags');
  return tags;
}
