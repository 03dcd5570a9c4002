/* Explains missing events: lists the events that did arrive, and the term of the filter that the nearest ones fail. */
import type { Api, CallOptions } from './api.ts';
import type { EventSummary, FeedPage, FilterTestResult } from './api-types.ts';
import { durationText } from './duration.ts';
import { type NearEvent, NotArrivedError } from './errors.ts';
import { safeLine } from './text.ts';

type Missing = CallOptions & { where: string; after: string; withinMs: number; expected: number; found: number };

const maxRead = 100;
const maxNearest = 3;

export async function notArrived(api: Api, endpointId: string, missing: Missing): Promise<NotArrivedError> {
  const { where, after, signal } = missing;
  const endpoint = `/api/endpoints/${encodeURIComponent(endpointId)}`;
  const query = { after, limit: maxRead };
  const { events: arrived, more } = await api<FeedPage>('GET', `${endpoint}/feed`, { query, signal });
  const nearest =
    where === '' || arrived.length === 0 ? [] : await nearestOf(api, endpoint, { where, arrived, signal });
  return new NotArrivedError(messageOf(missing, { arrived, more, nearest }), { arrived, nearest });
}

type Tried = CallOptions & { where: string; arrived: readonly EventSummary[] };

/** Events that fail a later term of the filter come first, because they passed more terms; then newer events. */
async function nearestOf(api: Api, endpoint: string, { where, arrived, signal }: Tried): Promise<NearEvent[]> {
  const body = { where, limit: maxRead };
  const { unmatched } = await api<FilterTestResult>('POST', `${endpoint}/where/test`, { body, signal });
  const ids = new Set(arrived.map(({ id }) => id));
  return unmatched
    .filter(({ event }) => ids.has(event.id))
    .sort((a, b) => where.lastIndexOf(b.clause) - where.lastIndexOf(a.clause))
    .slice(0, maxNearest);
}

type Found = { arrived: readonly EventSummary[]; more: boolean; nearest: readonly NearEvent[] };

function messageOf({ where, withinMs, expected, found }: Missing, { arrived, more, nearest }: Found): string {
  const wanted = where === '' ? '' : ` matching ${safeLine(where)}`;
  const time = `within ${durationText(withinMs)}`;
  const what =
    expected === 1 ? `no event${wanted} arrived ${time}` : `${found} of ${expected} events${wanted} arrived ${time}`;
  if (arrived.length === 0) return `${what}, and no other`;
  const count = `${arrived.length}${more ? ' or more' : ''}`;
  const lines =
    nearest.length > 0
      ? nearest.map(({ event, clause }) => `${lineOf(event)}: fails ${safeLine(clause)}`)
      : arrived.slice(-maxNearest).map(lineOf);
  const rest = arrived.length - lines.length;
  return [
    `${what}. ${arrived.length === 1 && !more ? '1 event' : `${count} events`} did:`,
    ...lines.map(line => `  ${line}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join('\n');
}

const lineOf = ({ id, method, path, eventType, platform, verdict, refused }: EventSummary): string =>
  safeLine(
    [
      id,
      `${method ?? '?'} ${path || '/'}`,
      ...(eventType === null ? [] : [eventType]),
      ...(platform === null ? [] : [`from ${platform}`]),
      ...(verdict === 'invalid' ? ['(invalid signature)'] : []),
      ...(refused === null ? [] : [`(refused with ${refused})`]),
    ].join(' '),
  );
