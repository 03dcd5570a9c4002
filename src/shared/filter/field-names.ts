/* How a filter writes the fields of an event's content: `header.x-shop-domain`, `query.page`, `body.items[].sku`. */
import { quoted } from './tokens.ts';

/** A key with other characters has to be quoted. */
const writtenKey = (key: string): string => (/^[\p{L}\p{N}_$@-]+$/u.test(key) ? key : quoted(key));

export const headerField = (name: string): string => `header.${writtenKey(name.toLowerCase())}`;
export const queryField = (name: string): string => `query.${writtenKey(name)}`;
/** The name of a form field is not a path: `user[name]` and `a.b` are whole names. */
export const formField = (name: string): string =>
  `body.${/^[\w-]+(?:[.[][\w-]*\]?)*$/.test(name) ? name : quoted(name)}`;
/** @param keys undefined for an item of a list, which means all items */
export const bodyField = (keys: readonly (string | undefined)[]): string =>
  `body${keys.map(key => (key === undefined ? '[]' : `.${writtenKey(key)}`)).join('')}`;
