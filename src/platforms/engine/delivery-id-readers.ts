/* Readers of delivery ids that a path cannot express. A reader for a single platform is in that platform's file. */
import type { DeliveryIdReader } from './platform.ts';

/** A list with several items has no id: a retry may contain others. @param list a path; if missing, the whole body */
export function ofOnlyItem(field: string, list?: string): DeliveryIdReader {
  const items = list === undefined ? '' : `${list}.`;
  return {
    description: `JSON \`${items}0.${field}\` when the list has one item`,
    read: reader =>
      reader.jsonValue(`${items}1.${field}`) === undefined ? reader.jsonValue(`${items}0.${field}`) : undefined,
  };
}
