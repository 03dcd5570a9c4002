/*
 * A schema as the printers of JSON Schema, TypeScript and Zod see it: the alternatives at each path, without counters. It is true
 * for every merged body.
 */
import { hasKind, type Schema, type Shape } from './shape.ts';
import { formatName, isEnum } from './text-rules.ts';

export type View = {
  /** Whether any value is possible, because it is not described. */
  isUnknown: boolean;
  isNullable: boolean;
  /** Other kinds than null, in the order of `kinds`. */
  options: Option[];
};

export type Option =
  | { kind: 'boolean' | 'number' }
  /** `isLarge`: some values are beyond 2^53. */
  | { kind: 'integer'; isLarge: boolean }
  | { kind: 'string'; format: string | undefined; words: string[] | undefined }
  | { kind: 'list'; items: View | undefined }
  /** `isCut`: there are properties that are not described. */
  | { kind: 'object'; properties: { key: string; isOptional: boolean; view: View }[]; isCut: boolean }
  | { kind: 'map'; values: View };

const unknown: View = { isUnknown: true, isNullable: false, options: [] };

/** @param type a word that is always the type of the event is a constant */
export const viewOf = ({ root }: Schema, type: string | null): View => shapeView(root, type);

function shapeView(shape: Shape, type: string | null): View {
  const { seenKinds, isCut, object, list } = shape;
  if (isCut || seenKinds === 0) return unknown;
  const options: Option[] = [];
  if (hasKind(shape, 'boolean')) options.push({ kind: 'boolean' });
  if (hasKind(shape, 'number')) options.push({ kind: 'number' });
  else if (hasKind(shape, 'integer')) options.push({ kind: 'integer', isLarge: shape.hasLargeIntegers });
  if (hasKind(shape, 'string')) options.push({ kind: 'string', ...textView(shape, type) });
  if (list) options.push({ kind: 'list', items: list.items && !list.isCut ? shapeView(list.items, type) : undefined });
  if (object?.values) options.push({ kind: 'map', values: object.isCut ? unknown : shapeView(object.values, type) });
  else if (object) {
    const properties = [...object.properties].map(([key, { isOptional, shape: value }]) => ({
      key,
      isOptional,
      view: shapeView(value, type),
    }));
    options.push({ kind: 'object', properties, isCut: object.isCut });
  }
  return { isUnknown: false, isNullable: hasKind(shape, 'null'), options };
}

function textView({ strings, formats, words }: Shape, type: string | null) {
  const isShown = words !== null && isEnum(words, strings) && (words.size > 1 || (type !== null && words.has(type)));
  return { format: formatName(formats), words: isShown ? [...words].sort() : undefined };
}
