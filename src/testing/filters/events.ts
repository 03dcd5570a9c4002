/* Events to test filters on: GitHub's examples, in many variants of everything but the body, and some of them as forms. */
import { createRandom, githubPayloads } from '../../../scripts/lib/payloads.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import type { PlainEvent } from './meaning.ts';

export const receivedAround = Date.UTC(2026, 10, 20);

/** All examples, each with JSON as its body. */
export function githubEvents(): PlainEvent[] {
  const random = createRandom(5);
  const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  return githubPayloads().map(({ event, body }, i) => {
    const text = new TextDecoder().decode(body);
    return {
      type: i % 17 === 0 ? null : event,
      platform: i % 13 === 0 ? null : oneOf(['github', 'gitlab']),
      method: oneOf(['POST', 'POST', 'PUT', 'GET']),
      path: oneOf(['', '/', '/hooks/github', `/orders/${random(20)}/items`]),
      receivedAt: receivedAround - random(48 * 3_600_000),
      sourceIp: `10.0.${random(4)}.${random(256)}`,
      verdict: oneOf(['valid', 'invalid', 'unchecked', 'none']),
      attempt: 1 + random(4),
      answered: oneOf([200, 200, 503, null]),
      tags: oneOf([[], ['golden'], ['golden', 'Größe XL']]),
      isPinned: random(3) === 0,
      isReplayed: random(3) === 0,
      isEdited: random(3) === 0,
      isRefused: random(3) === 0,
      isRedacted: random(3) === 0,
      headers: [
        ['Content-Type', 'application/json'],
        ['X-GitHub-Event', event],
        ['X-Attempt', String(random(5))],
        ['x-attempt', oneOf(['1.50', '1e1', 'many'])],
      ],
      params: [
        ['page', String(random(30))],
        ['page', oneOf(['-2', '+3', '', 'a b&c=d', '%'])],
        [oneOf(['filter[name]', 'a b', 'é']), oneOf(['*', '"x"', 'naïve 漢字'])],
      ],
      body: text,
      json: JSON.parse(text) as unknown,
      form: undefined,
    };
  });
}

/** An event whose body is a form. */
export function asForm(event: PlainEvent, number: number): PlainEvent {
  const form: [string, string][] = [...event.params, ['user[name]', `n${number % 7}`], ['page', String(number)]];
  const params = new URLSearchParams(form);
  const boundary = 'a"b\\c d';
  const isMultipart = number % 2 === 0;
  const parts = form.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"\r\n\r\n${value}\r\n`,
  );
  const type = isMultipart
    ? 'multipart/form-data; boundary="a\\"b\\\\c d"'
    : 'application/x-www-form-urlencoded; charset=utf-8';
  return {
    ...event,
    headers: [['content-type', type], ...event.headers.slice(1)],
    body: isMultipart ? `${parts.join('')}--${boundary}--\r\n` : params.toString(),
    json: undefined,
    form,
  };
}

export function factsOf(event: PlainEvent): EventFacts {
  const { headers, params, body: text, json: _, form: __, ...columns } = event;
  const body = new TextEncoder().encode(text);
  const query = new URLSearchParams(params).toString();
  return { ...columns, size: body.length, content: createEventContent({ headers, query, body }) };
}
