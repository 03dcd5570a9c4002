/* `hooktape show`: shows one event, readable or as JSON, or its exact body. */
import { decodeUtf8 } from '../../core/text.ts';
import type { EventDetail } from '../../features/events/model.ts';
import { type Io, type Run, UsageError } from '../io.ts';
import { type Api, connect, reach } from './api.ts';
import { bodyText } from './body-text.ts';
import { findEventId } from './find.ts';
import { printResult, safeLine, safeText, sizeText, timeText } from './output.ts';

export const runShow: Run = async (given, io) => {
  const api = connect(io, given);
  const path = `/api/events/${encodeURIComponent(await findEventId(api, given.argument(0)))}`;
  if (given.flag('raw')) await writeRaw(io, api, `${path}/raw`);
  else {
    const event = await api.call<EventDetail>('GET', path);
    printResult(io, given, event, describe(event));
  }
};

/** Writes only escaped text to a terminal, because a body must not be able to type commands or set the title. */
async function writeRaw(io: Io, api: Api, path: string): Promise<void> {
  const response = await api.open(path);
  const body = await reach(api.server.url, () => response.bytes());
  if (!io.outputTerminal) return io.stdoutBytes(body);
  const text = decodeUtf8(body);
  if (text === undefined || text.includes('\0'))
    throw new UsageError('the body is binary: redirect it to a file (> FILE) or a program');
  io.stdout(safeText(text));
}

function describe(event: EventDetail): string {
  const { method, path, query, signature, pin, tags, replays } = event;
  const from = [event.platform, event.eventType].filter(one => one !== null).join(' ');
  const about: [string, string | undefined][] = [
    ['event', event.id],
    ['endpoint', event.endpointId],
    ['received', `${timeText(event.receivedAt)} from ${event.sourceIp}`],
    ['what', from || undefined],
    ['signature', signature ? [signature.verdict, signature.reason ?? signature.scheme].join(', ') : undefined],
    ['pin', pin ? [`@${pin.name ?? ''}`, pin.note ?? ''].join(' ').trim() : undefined],
    ['tags', tags.map(tag => `#${tag}`).join(' ') || undefined],
    ['replays', replays.length > 0 ? replays.map(({ status }) => status ?? 'no response').join(', ') : undefined],
  ];
  const width = Math.max(...about.map(([name]) => name.length));
  const lines = about.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(width)}  ${safeLine(value)}`],
  );
  const headers = event.rawHeaders.map(([name, value]) => safeLine(`${name}: ${value}`));
  const target = safeLine(`${method ?? ''} ${path || '/'}${query === null ? '' : `?${query}`}`);
  const body = bodyText(event.payloadRaw, event.payloadEncoding);
  return [
    ...lines,
    '',
    target,
    ...headers,
    '',
    body ?? `(${sizeText(event.size)} of binary data: hooktape show ${safeLine(event.id)} --raw > FILE)`,
    '',
  ].join('\n');
}
