/* Names for generated code, made from event types and keys. Senders choose these, so they can be any text. */

/** `invoice.paid` and `INVOICE_PAID` -> `InvoicePaid`; without a type `WebhookEvent`. A valid identifier of TypeScript. */
export function typeName(type: string | null): string {
  const words = (type ?? '').match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.map(capitalised).join('');
  if (name === '') return 'WebhookEvent';
  return /^\p{ID_Start}/u.test(name) && [...name].every(letter => /\p{ID_Continue}/u.test(letter))
    ? name
    : `Event${name}`.replaceAll(/\P{ID_Continue}/gu, '');
}

function capitalised(word: string): string {
  const rest = word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1);
  return word.charAt(0).toUpperCase() + rest;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/**
 * A text as a literal without hidden characters: line separators and characters that change the direction of text are escaped.
 */
const literal = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A key of an object in source code. */
export const keyName = (key: string): string => (identifier.test(key) ? key : literal(key));

/** A text that cannot end the comment around it. */
export const commentText = (text: string): string => literal(text).replaceAll('*/', '*\\/');
