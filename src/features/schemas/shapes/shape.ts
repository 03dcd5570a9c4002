/*
 * What is known about the JSON bodies of one event type: a tree of shapes, merged from all of them. It counts what is needed to
 * distinguish required from optional and rare from vanished properties, and stores no values except candidates for small enums
 * (text-rules.ts). It is limited to `maxPaths` paths and `maxDepth` levels.
 */

export const kinds = { null: 1, boolean: 2, integer: 4, number: 8, string: 16, object: 32, list: 64 } as const;

/** Properties, list items and map values of one schema. */
export const maxPaths = 2000;
export const maxDepth = 32;
/** Longer keys are not described. */
export const maxKeyCharacters = 100;

/** What was seen at one path. */
export type Shape = {
  /** Events with a value here. */
  events: number;
  /** The kinds of values, as bits of `kinds`. */
  seenKinds: number;
  strings: number;
  /** Whether an integer was beyond 2^53, which `JSON.parse` rounds. */
  hasLargeIntegers: boolean;
  /** The formats that all texts had (text-rules.ts), as bits. */
  formats: number;
  /** The texts, as long as they may be an enum; null if they are not one. */
  words: Set<string> | null;
  object: ObjectShape | null;
  list: ListShape | null;
  /** Whether there are values that are too deep to be described. */
  isCut: boolean;
  /** The event that was seen last, by its number in the schema. Only in memory. */
  lastEvent: number;
};

export type ObjectShape = {
  /** Objects seen. */
  count: number;
  /** Events with such an object. */
  events: number;
  properties: Map<string, Property>;
  /** The shape of all values if the keys keep changing, such as ids; then there are no `properties`. */
  values: Shape | null;
  /** Whether it has properties that are not described. */
  isCut: boolean;
  lastEvent: number;
};

export type Property = {
  shape: Shape;
  /** Objects with this property. */
  objects: number;
  /** The object's count of events when the property appeared, or returned after it had vanished. */
  since: number;
  /** Events with it since then. */
  seen: number;
  /** Events without it since it was last seen. */
  missed: number;
  /** Whether it was reported as vanished. */
  isGone: boolean;
  /** Whether an object was without it. */
  isOptional: boolean;
  lastEvent: number;
  /** The object that was seen last, to count a repeated key once. Only in memory. */
  lastObject: number;
};

export type ListShape = { items: Shape | null; isCut: boolean };

export type Schema = {
  /** The number of events. */
  count: number;
  /** How many paths the tree has. */
  paths: number;
  root: Shape;
  /** Numbers the objects that are read. Only in memory. */
  lastObject: number;
};

export const newShape = (mayBeEnum: boolean): Shape => ({
  events: 0,
  seenKinds: 0,
  strings: 0,
  hasLargeIntegers: false,
  formats: 0,
  words: mayBeEnum ? new Set() : null,
  object: null,
  list: null,
  isCut: false,
  lastEvent: 0,
});

export const newObject = (): ObjectShape => ({
  count: 0,
  events: 0,
  properties: new Map(),
  values: null,
  isCut: false,
  lastEvent: 0,
});

export const newProperty = (shape: Shape, since: number): Property => ({
  shape,
  objects: 0,
  since,
  seen: 0,
  missed: 0,
  isGone: false,
  isOptional: false,
  lastEvent: 0,
  lastObject: 0,
});

export const newSchema = (): Schema => ({ count: 0, paths: 0, root: newShape(false), lastObject: 0 });

export const hasKind = ({ seenKinds }: Pick<Shape, 'seenKinds'>, kind: keyof typeof kinds): boolean =>
  (seenKinds & kinds[kind]) !== 0;

/** The shapes directly below. */
function* childrenOf({ object, list }: Shape): Generator<Shape> {
  if (object) {
    for (const { shape } of object.properties.values()) yield shape;
    if (object.values) yield object.values;
  }
  if (list?.items) yield list.items;
}

/** The number of paths below a shape. */
export function countPaths(shape: Shape): number {
  let paths = 0;
  for (const child of childrenOf(shape)) paths += 1 + countPaths(child);
  return paths;
}
