/* Delivery ids that no path in the body can name, for the rows of the catalog; a platform's own one is in its file. */
import type { DeliveryIdReader } from './platform.ts';

/**
 * The id of a list's only item. A longer list has none: a retry may come with other items.
 * @param list a path; left out = the body itself is the list
 */
export function ofOnlyItem(field: string, list?: string): DeliveryIdReader {
  const items = list === undefined ? '' : `${list}.`;
  return {
    description: `JSON \`${items}0.${field}\` when the list has one item`,
    read: reader =>
      reader.jsonValue(`${items}1.${field}`) === undefined ? reader.jsonValue(`${items}0.${field}`) : undefined,
  };
}
