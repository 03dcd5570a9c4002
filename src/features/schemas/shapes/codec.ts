/* The stored form of a schema: nested lists as JSON, compressed. Fields that exist only in memory are left out. */
import {
  maxPaths,
  newObject,
  newProperty,
  newSchema,
  newShape,
  type ObjectShape,
  type Schema,
  type Shape,
} from './shape.ts';

const version = 1;

/** Absent parts are 0. */
type Stored<T> = T | 0;
type StoredShape = [
  events: number,
  seenKinds: number,
  strings: number,
  flags: number,
  formats: number,
  words: Stored<string[]>,
  object: Stored<StoredObject>,
  list: Stored<[isCut: number, items: Stored<StoredShape>]>,
];
type StoredProperty = [
  key: string,
  objects: number,
  since: number,
  seen: number,
  missed: number,
  isGone: number,
  shape: StoredShape,
];
type StoredObject = [
  count: number,
  events: number,
  isCut: number,
  properties: StoredProperty[],
  values: Stored<StoredShape>,
];

const largeIntegers = 1;
const cut = 2;

export const encodeSchema = ({ count, paths, root }: Schema): Uint8Array =>
  Bun.zstdCompressSync(Buffer.from(JSON.stringify([version, count, paths, toStored(root)])));

/** Undefined if the bytes are not a valid schema. */
export function decodeSchema(bytes: Uint8Array): Schema | undefined {
  try {
    const plain = Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>);
    const [found, count, paths, root] = JSON.parse(plain.toString()) as [number, number, number, StoredShape];
    return found === version && paths <= maxPaths
      ? { ...newSchema(), count, paths, root: fromStored(root) }
      : undefined;
  } catch {
    return undefined;
  }
}

function toStored(shape: Shape): StoredShape {
  const { events, seenKinds, strings, hasLargeIntegers, formats, words, object, list, isCut } = shape;
  return [
    events,
    seenKinds,
    strings,
    (hasLargeIntegers ? largeIntegers : 0) + (isCut ? cut : 0),
    formats,
    words ? [...words] : 0,
    object ? toStoredObject(object) : 0,
    list ? [Number(list.isCut), list.items ? toStored(list.items) : 0] : 0,
  ];
}

const toStoredObject = ({ count, events, isCut, properties, values }: ObjectShape): StoredObject => [
  count,
  events,
  Number(isCut),
  [...properties].map(([key, { objects, since, seen, missed, isGone, shape }]) => [
    key,
    objects,
    since,
    seen,
    missed,
    Number(isGone),
    toStored(shape),
  ]),
  values ? toStored(values) : 0,
];

function fromStored([events, seenKinds, strings, flags, formats, words, object, list]: StoredShape): Shape {
  return {
    ...newShape(false),
    events,
    seenKinds,
    strings,
    hasLargeIntegers: (flags & largeIntegers) !== 0,
    isCut: (flags & cut) !== 0,
    formats,
    words: words === 0 ? null : new Set(words),
    object: object === 0 ? null : fromStoredObject(object),
    list: list === 0 ? null : { isCut: list[0] === 1, items: list[1] === 0 ? null : fromStored(list[1]) },
  };
}

function fromStoredObject([count, events, isCut, properties, values]: StoredObject): ObjectShape {
  return {
    ...newObject(),
    count,
    events,
    isCut: isCut === 1,
    properties: new Map(
      properties.map(([key, objects, since, seen, missed, isGone, shape]) => [
        key,
        {
          ...newProperty(fromStored(shape), since),
          objects,
          seen,
          missed,
          isGone: isGone === 1,
          isOptional: objects < count,
        },
      ]),
    ),
    values: values === 0 ? null : fromStored(values),
  };
}
