/* Events for a naive evaluator of filters, read from the API one by one, and filters about the values of these events. */

import { createEventContent } from '../core/filter/event-content.ts';
import type { EventFacts } from '../core/filter/event-facts.ts';
import type { HeaderPair } from '../core/headers.ts';
import { parseEventId } from '../core/ids/ids.ts';
import type { EventDetail } from '../features/events/model.ts';

export type OracleEvent = { seq: number; receivedAt: number; facts: EventFacts; detail: EventDetail };

/** The attempt number of an event in these tests. It does not change when rows of 1.0 are packed. */
export const oracleAttempt = (seq: number): number => 1 + (seq % 3);

export function toOracleEvent(detail: EventDetail): OracleEvent {
  const seq = parseEventId(detail.id)?.seq ?? 0;
  const { payloadRaw, payloadEncoding, receivedAt } = detail;
  const body = Buffer.from(payloadRaw, payloadEncoding);
  return {
    seq,
    receivedAt,
    detail,
    facts: {
      type: detail.eventType,
      platform: detail.platform,
      method: detail.method,
      path: detail.path,
      receivedAt,
      size: detail.size,
      sourceIp: detail.sourceIp,
      verdict: detail.signature?.verdict ?? 'none',
      attempt: oracleAttempt(seq),
      answered: detail.answered.status,
      tags: detail.tags,
      isPinned: detail.pin !== null,
      isReplayed: detail.replays.length > 0,
      isEdited: detail.replays.some(({ edited }) => edited),
      isRefused: detail.refused !== null,
      isRedacted: detail.redacted !== null,
      content: createEventContent({ headers: detail.rawHeaders as HeaderPair[], query: detail.query, body }),
    },
  };
}

/** Below a number. */
export type Random = (below: number) => number;

/** A filter about one of these events, or a filter that no event matches. */
export function createFilterSource(events: () => readonly OracleEvent[], random: Random) {
  const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;

  const value = (text: string): string => {
    const kind = random(8);
    if (kind === 0) return quoted(`${text}x`);
    if (kind < 4 || !/^[\w./-]{2,}$/.test(text)) return quoted(text);
    if (kind === 4) return text;
    const at = 1 + random(text.length - 1);
    if (kind === 5) return `${text.slice(0, at)}*`;
    return kind === 6 ? `*${text.slice(at)}` : `${text.slice(0, 1)}*${text.slice(at)}`;
  };

  const columnTerm = ({ facts, detail }: OracleEvent): string => {
    const { type, platform, method, size, sourceIp, receivedAt, tags, verdict } = facts;
    const operator = oneOf(['>', '>=', '<', '<=', ':']);
    const time = new Date(receivedAt + oneOf([0, 0, 1, -1, 4000])).toISOString();
    return oneOf([
      `type:${value(type ?? 'push')}`,
      `platform:${value((platform ?? 'stripe').toUpperCase())}`,
      `method:${oneOf([method ?? 'GET', method?.toLowerCase() ?? 'get', 'P*', '*'])}`,
      `path:${value(detail.path || '/')}`,
      `verdict:${oneOf([verdict, 'valid', 'none', 'invalid', 'unchecked'])}`,
      `ip:${oneOf([sourceIp, `${sourceIp}/16`, '10.0.0.0/8'])}`,
      `size${operator}${Math.max(0, size + oneOf([0, 0, 1, -1, 100]))}`,
      `size>${oneOf(['1k', '2k', '8k', '20k'])}`,
      `received${oneOf(['>', '>=', '<', '<='])}${time}`,
      `received:${time.slice(0, 10)}`,
      `received:${oneOf([`${time}..`, `..${time}`, `${time}..${new Date(receivedAt + 4000).toISOString()}`])}`,
      `attempt>${random(2)}`,
      `answered${oneOf([':2xx', ':200', ':5xx', ':429', '>=400', '<300', ':4xx', '>200'])}`,
      `tag:${value(tags[0] ?? 'golden')}`,
      `is:${oneOf(['pinned', 'replayed', 'edited', 'refused', 'redacted'])}`,
    ]);
  };

  const contentTerm = ({ detail }: OracleEvent): string => {
    const kind = random(6);
    if (kind === 0) {
      const [name, text] = oneOf(detail.rawHeaders) ?? ['x-absent', ''];
      return random(3) ? `header.${name.toUpperCase()}:${value(text)}` : `has:header.${name}`;
    }
    if (kind === 1) {
      const [name, text] = oneOf(detail.params) ?? ['page', '2'];
      return /^\w+$/.test(name) ? `query.${name}:${value(text)}` : 'has:query.page';
    }
    const [path, found] = leafOf(detail.payload) ?? oneOf([...formFields(detail), ['note', 'café "a/b"']]);
    if (kind === 2) return `has:body.${path}`;
    if (kind === 3 && typeof found === 'number') return `body.${path}${oneOf(['>', '<', '>=', '<='])}${found}`;
    return `body.${path}:${value(String(found))}`;
  };

  /** A path to a value that is not a container, in an object. */
  const leafOf = (payload: unknown): [string, unknown] | undefined => {
    let [path, found] = ['', payload];
    for (let depth = 0; typeof found === 'object' && found !== null; depth++) {
      const entries = Object.entries(found as Record<string, unknown>);
      if (entries.length === 0 || depth > 8) return undefined;
      const [key, next] = oneOf(entries);
      path += Array.isArray(found) ? oneOf([`[${key}]`, '[]']) : `.${/^\w+$/.test(key) ? key : quoted(key)}`;
      found = next;
    }
    return !path.startsWith('.') || found === undefined ? undefined : [path.replace(/^\./, ''), found];
  };

  const textTerm = ({ detail }: OracleEvent): string => {
    const text = oneOf([detail.payloadRaw, detail.eventType ?? 'push']);
    const at = random(text.length + 1);
    return quoted(text.slice(at, at + 1 + random(30)) || 'x');
  };

  const term = (): string => {
    const event = oneOf(events());
    const one = oneOf([columnTerm, columnTerm, contentTerm, contentTerm, textTerm])(event);
    return random(5) === 0 ? `${oneOf(['NOT ', '-'])}${one}` : one;
  };

  return (): string => {
    const kind = random(6);
    if (kind < 2) return term();
    if (kind === 2) return `${term()} ${term()}`;
    if (kind === 3) return `${term()} OR ${term()}`;
    return kind === 4 ? `${term()} (${term()} OR ${term()} ${term()})` : `NOT (${term()} ${term()}) ${term()}`;
  };
}

/** The fields of a form or a multipart body that have simple names. */
function formFields({ headers, payloadRaw, payloadEncoding }: EventDetail): [string, string][] {
  const body = Buffer.from(payloadRaw, payloadEncoding);
  const type = headers['content-type'] ?? headers['Content-Type'] ?? '';
  const fields = /urlencoded/i.test(type)
    ? [...new URLSearchParams(body.toString())]
    : [...body.toString('latin1').matchAll(/ name="(\w+)"\r\n\r\n([^\r]*)/g)].map(
        ([, name = '', text = '']): [string, string] => [name, text],
      );
  return fields.filter(([name]) => /^\w+$/.test(name));
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
