/* `hooktape events`: the events of an endpoint, newest first. */
import type { EventPage, EventSummary } from '../../features/events/model.ts';
import type { Io, Run } from '../io.ts';
import { wholeNumber } from '../parse-arguments.ts';
import { type Api, connect } from './api.ts';
import { findEndpointId } from './find.ts';
import { printJson, printTable, sizeText, timeText } from './output.ts';

const defaultLimit = 25;
const maxLimit = 100_000;
const maxPage = 100;
const clearLine = '\r\x1b[K';

export const runEvents: Run = async (given, io) => {
  const limit = wholeNumber(given, 'limit', { least: 1, most: maxLimit }) ?? defaultLimit;
  const api = connect(io, given);
  const endpointId = await findEndpointId(api, given.argument(0));
  const page = await listEvents(io, api, { endpointId, where: given.option('where'), limit });
  if (given.json) printJson(io, page);
  else printTable(io, page.events.map(rowOf));
  if (page.events.length === 0 && !given.json) io.stderr('No events.\n');
};

type Wanted = { endpointId: string; where: string | undefined; limit: number };

/** Reads pages until `limit` is reached, because a search may return incomplete pages. */
async function listEvents(io: Io, api: Api, { endpointId, where, limit }: Wanted): Promise<EventPage> {
  const events: EventSummary[] = [];
  let isProgressShown = false;
  for (let cursor: string | undefined; ; ) {
    const query = { endpointId, where, limit: Math.min(maxPage, limit - events.length), cursor };
    const page = await api.call<EventPage>('GET', '/api/events', { query });
    events.push(...page.events);
    if (page.nextCursor === null || events.length >= limit) {
      if (isProgressShown) io.stderr(clearLine);
      return { ...page, events };
    }
    cursor = page.nextCursor;
    if (!io.isTerminal || page.scannedTo === null) continue;
    io.stderr(`${clearLine}Searched back to ${timeText(page.scannedTo)}`);
    isProgressShown = true;
  }
}

/** An event as a row of a table. */
export function rowOf(event: EventSummary): string[] {
  const { id, receivedAt, platform, eventType, signatureValid, method, size, pin, tags, payloadPreview } = event;
  const verdict = signatureValid === null ? '' : signatureValid ? 'valid' : 'invalid';
  const marks = [...(pin ? [`@${pin.name ?? ''}`] : []), ...tags.map(tag => `#${tag}`)].join(' ');
  return [
    id,
    timeText(receivedAt),
    platform ?? '',
    eventType ?? '',
    verdict,
    method ?? '',
    sizeText(size),
    marks,
    payloadPreview,
  ];
}
