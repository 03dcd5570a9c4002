/* The values that an endpoint's events have, for suggestions: from the schemas, the loaded rows and the selected event. */

import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { type ContentField, contentFieldsOf } from './content-fields.ts';

/** The values of each column, the most frequent first; and the fields of the selected event's content. */
export type SeenValues = {
  types: string[];
  platforms: string[];
  methods: string[];
  paths: string[];
  tags: string[];
  ips: string[];
  fields: ContentField[];
};

export type SeenType = { type: string | null; platform: string | null; count: number };

export type SeenSources = {
  schemas: readonly SeenType[];
  rows: readonly EventSummary[];
  event: EventDetail | undefined;
};

export function seenValues({ schemas, rows, event }: SeenSources): SeenValues {
  const fromSchemas = (value: (schema: SeenSources['schemas'][number]) => string | null): [string | null, number][] =>
    schemas.map(schema => [value(schema), schema.count]);
  const fromRows = (value: (row: EventSummary) => string | null): [string | null, number][] =>
    rows.map(row => [value(row), 1]);
  return {
    types: byFrequency([...fromSchemas(({ type }) => type), ...fromRows(({ eventType }) => eventType)]),
    platforms: byFrequency([...fromSchemas(({ platform }) => platform), ...fromRows(({ platform }) => platform)]),
    methods: byFrequency(fromRows(({ method }) => method)),
    paths: byFrequency(fromRows(({ path }) => path)),
    tags: byFrequency(rows.flatMap(({ tags }) => tags.map((tag): [string, number] => [tag, 1]))),
    ips: event ? [event.sourceIp] : [],
    fields: event ? contentFieldsOf(event) : [],
  };
}

const byFrequency = (values: [value: string | null, count: number][]): string[] => {
  const counts = new Map<string, number>();
  for (const [value, count] of values) if (value) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
};
