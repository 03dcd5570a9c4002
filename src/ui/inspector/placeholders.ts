/* The placeholders of a template, with examples from a delivery that arrived. Pure. */

import type { EventDetail } from '../../features/events/model.ts';
import type { Placeholder } from '../kit/template-field.tsx';
import { contentFieldsOf } from './filter/content-fields.ts';

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
    { text: '{{now}}', name: '', title: 'time of sending (RFC 3339)' },
    named('header', 'X-Request-Id', 'request header'),
    named('query', 'page', 'query parameter, decoded'),
    named('body', 'id', 'body field, such as body.a.b'),
    { text: '{{type}}', name: '', title: 'event type' },
    { text: '{{raw}}', name: '', title: 'whole body as text' },
  ];
}

/** For requests of forwards, which the team reads. */
export const teamPlaceholders = (example: Example | undefined): Placeholder[] => [
  ...placeholdersFor(example),
  {
    text: `{{json body.${example?.body || 'id'}}}`,
    name: example?.body || 'id',
    title: 'body field as JSON, without quotes',
  },
  { text: '{{truncate 500 raw}}', name: '500', title: 'the first characters of a value' },
  { text: '{{endpoint}}', name: '', title: 'name of the endpoint' },
  { text: '{{link}}', name: '', title: 'the event in the dashboard' },
];
