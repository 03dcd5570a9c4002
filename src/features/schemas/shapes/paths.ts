/* Paths as in the filter language, from the body on: `data.object.amount`, `items[].sku`. Any key of a map is `*`; the empty path is the body. */

export type PathStep = { key: string } | { anyItem: true } | { anyKey: true };

const plainKey = /^[\p{L}\p{N}_$-]+$/u;

export const pathText = (steps: readonly PathStep[]): string =>
  steps.reduce((path, step) => {
    if ('anyItem' in step) return `${path}[]`;
    return joinKey(path, 'anyKey' in step ? '*' : keyText(step.key));
  }, '');

/** The path of a property of the object at `path`. */
export const propertyPath = (path: string, key: string): string => joinKey(path, keyText(key));

const joinKey = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** Other keys are quoted; the text has no control characters. */
const keyText = (key: string): string => {
  if (plainKey.test(key)) return key;
  const visible = key.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
  return `"${visible.replaceAll(/["\\]/g, '\\$&')}"`;
};
