/* The placeholders of an answer's body, with examples from a delivery that arrived. Pure. */

import type { EventDetail } from '../../features/events/model.ts';
import { contentFieldsOf } from '../inspector/filter/content-fields.ts';

export type Placeholder = {
  /** As it is inserted. */
  text: string;
  /** The part to be replaced by another name; empty for none. */
  name: string;
  title: string;
};

/** The values of the newest delivery for each placeholder with a name. */
export type Example = { header: string; query: string; body: string };

export function exampleOf(event: EventDetail): Example {
  const fields = contentFieldsOf(event).map(({ field }) => field);
  // Items of lists and quoted names have another form in placeholders.
  const first = (place: string): string =>
    fields
      .find(field => field.startsWith(`${place}.`) && !/["[\]]/.test(field) && !isCommon(field))
      ?.slice(place.length + 1) ?? '';
  return { header: first('header'), query: first('query'), body: first('body') };
}

const isCommon = (field: string): boolean =>
  /^header\.(host|accept.*|connection|content-length|user-agent)$/.test(field);

export function placeholdersFor(example: Example | undefined): Placeholder[] {
  const named = (place: keyof Example, fallback: string, title: string): Placeholder => {
    const name = example?.[place] || fallback;
    return { text: `{{${place}.${name}}}`, name, title };
  };
  return [
    { text: '{{id}}', name: '', title: 'event id' },
    { text: '{{now}}', name: '', title: 'time of the response (RFC 3339)' },
    named('header', 'X-Request-Id', 'request header'),
    named('query', 'page', 'query parameter, decoded'),
    named('body', 'id', 'body field, such as body.a.b'),
    { text: '{{type}}', name: '', title: 'event type' },
    { text: '{{raw}}', name: '', title: 'whole body as text' },
  ];
}
