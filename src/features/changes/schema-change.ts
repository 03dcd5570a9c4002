/* The sentences about changes of the schemas of events. Types and paths come from senders. */
import type { Change } from './model.ts';
import type { SchemaChangeRow } from './store.ts';

/** @param base the path of the endpoint's page */
export function changeOfSchema(
  base: string,
  { type, kind, path }: SchemaChangeRow,
): Pick<Change, 'kind' | 'text' | 'link'> {
  const field = path.length === 0 ? 'the body' : `“${Buffer.from(path).toString()}”`;
  const events = type === '' ? 'events without a type' : `events of type “${type}”`;
  const text = {
    new: `New in ${events}: ${field}`,
    vanished: `No longer in ${events}: ${field}`,
    type: `Another kind of value in ${events}: ${field}`,
  }[kind];
  const query = `type=${encodeURIComponent(type.toWellFormed())}`;
  return { kind: 'schema', text, link: `${base}/schemas?${query}` };
}
