/* The fields of an event's content, as a filter names them: `header.x-shop-domain`, `query.page`, `body.items[].sku`. */

import type { EventDetail } from '../../../features/events/model.ts';
import { bodyField, formField, headerField, queryField } from '../../../shared/filter/field-names.ts';
import { headerText } from '../../kit/format/visible.ts';
import { type JsonDocument, type JsonNode, keyOf, valueText } from '../body/json.ts';
import { parseBodyOf, parseForm } from '../body/views.ts';

/** A value that is too long for a filter is missing. */
export type ContentField = { field: string; value: string | undefined };

/** A larger body is not read for suggestions. */
const maxBodyBytes = 256 << 10;
const maxFields = 400;
/** The most nodes that are read of a JSON body. The values of a long list have the same few fields. */
const maxNodes = 20_000;
/** A path of more steps would make a filter too long. */
const maxDepth = 40;
const maxValueCharacters = 200;

export function contentFieldsOf(event: EventDetail): ContentField[] {
  const fields = new Map<string, ContentField>();
  const add = (field: string, value: string | undefined): void => {
    if (fields.size >= maxFields || fields.has(field)) return;
    fields.set(field, { field, value: value !== undefined && value.length <= maxValueCharacters ? value : undefined });
  };
  for (const [name, value] of event.rawHeaders) add(headerField(name), headerText(value));
  for (const [name, value] of event.params) add(queryField(name), value);
  if (event.size > maxBodyBytes) return [...fields.values()];
  const body = parseBodyOf(event);
  if (body.json) {
    for (const [index, node] of body.json.nodes.slice(0, maxNodes).entries()) {
      if (fields.size >= maxFields) break;
      const field = isScalar(node) ? bodyFieldOf(body.json, index) : undefined;
      if (field !== undefined) add(field, valueText(body.json, node));
    }
  } else if (body.views.includes('form')) {
    for (const { name, value } of parseForm(body.text ?? '')) add(formField(name), value);
  }
  return [...fields.values()];
}

export const isScalar = ({ kind }: JsonNode): boolean => kind !== 'object' && kind !== 'array';

/** `body.items[].sku`; an item of a list means all items. Undefined for the whole document, and deep inside it. */
export function bodyFieldOf(document: JsonDocument, index: number): string | undefined {
  if ((document.nodes[index]?.depth ?? 0) > maxDepth) return undefined;
  const keys: (string | undefined)[] = [];
  for (let at = index; at >= 0; ) {
    const node = document.nodes[at];
    if (!node || node.parent < 0) break;
    keys.push(keyOf(document, node));
    at = node.parent;
  }
  return keys.length === 0 ? undefined : bodyField(keys.reverse());
}
