/* `hooktape pin`, `unpin` and `tag`. */
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { exitCodes, type Io, type Run } from '../io.ts';
import { type Api, connect } from './api.ts';
import { findEventId } from './find.ts';
import { type Given, readGiven } from './given.ts';
import { printJson, safeLine } from './output.ts';

/** Connects, and finds the event that the first argument names. */
async function open(args: string[], io: Io, usage: string): Promise<{ given: Given; api: Api; path: string }> {
  const given = readGiven(args, usage);
  const api = connect(io, given);
  return { given, api, path: `/api/events/${encodeURIComponent(await findEventId(api, given.argument(0)))}` };
}

export const runPin: Run = async (args, io, usage) => {
  const { given, api, path } = await open(args, io, usage);
  // A name or note that is left out of the request would be removed.
  const before = await api.call<EventDetail>('GET', path);
  const name = given.positionals[1]?.replace(/^@/, '') ?? before.pin?.name ?? null;
  const note = given.option('note') ?? before.pin?.note ?? null;
  const event = await api.call<EventSummary>('PUT', `${path}/pin`, { body: { name, note } });
  if (given.json) printJson(io, event);
  else io.stdout(`pinned ${safeLine(event.id)}${event.pin?.name == null ? '' : ` as @${safeLine(event.pin.name)}`}\n`);
  return exitCodes.done;
};

export const runUnpin: Run = async (args, io, usage) => {
  const { given, api, path } = await open(args, io, usage);
  const done = await api.call('DELETE', `${path}/pin`);
  if (given.json) printJson(io, done);
  else io.stdout(`unpinned ${safeLine(given.argument(0))}\n`);
  return exitCodes.done;
};

export const runTag: Run = async (args, io, usage) => {
  const { given, api, path } = await open(args, io, usage);
  const event = await api.call<EventSummary>('PUT', `${path}/tags`, { body: { tags: given.positionals.slice(1) } });
  if (given.json) printJson(io, event);
  else io.stdout(`tagged ${safeLine(event.id)} ${event.tags.map(tag => `#${safeLine(tag)}`).join(' ')}\n`);
  return exitCodes.done;
};
