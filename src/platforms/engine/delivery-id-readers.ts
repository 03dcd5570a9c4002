/**
 * Readers of delivery ids that a path in the body cannot express, for the rows of the catalog. A reader for a single platform
 * is in that platform's file.
 */
import type { DeliveryIdReader } from './platform.ts';

/**
 * The id of a list's only item. A longer list has no id, because a retry may contain other items. @param list a path; if it is
 * missing, the body itself is the list
 */
export function ofOnlyItem(field: string, list?: string): DeliveryIdReader {
  const items = list === undefined ? '' : `${list}.`;
  return {
    description: `JSON \`${items}0.${field}\` when the list has one item`,
    read: reader =>
      reader.jsonValue(`${items}1.${field}`) === undefined ? reader.jsonValue(`${items}0.${field}`) : undefined,
  };
}
