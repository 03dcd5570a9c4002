/* Takes a text out of a stored schema: properties with such a name, and such values of an enum. */
import { decodeSchema, encodeSchema } from './codec.ts';
import { countPaths, type Shape } from './shape.ts';

/** @returns undefined if the schema cannot be read */
export function forgetText(shape: Uint8Array, hasText: (text: string) => boolean): Uint8Array | undefined {
  const schema = decodeSchema(shape);
  if (!schema) return undefined;
  forgetIn(schema.root, hasText);
  schema.paths = countPaths(schema.root);
  return encodeSchema(schema);
}

function forgetIn(shape: Shape, hasText: (text: string) => boolean): void {
  if (shape.words && [...shape.words].some(hasText)) shape.words = null;
  for (const [key, property] of shape.object?.properties ?? []) {
    if (hasText(key)) shape.object?.properties.delete(key);
    else forgetIn(property.shape, hasText);
  }
  if (shape.object?.values) forgetIn(shape.object.values, hasText);
  if (shape.list?.items) forgetIn(shape.list.items, hasText);
}
