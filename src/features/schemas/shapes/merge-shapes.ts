/* Decides whether an object's keys are ids rather than field names, and if so, merges its values into one shape. */
import { kinds, newObject, type ObjectShape, type Property, type Shape } from './shape.ts';
import { allFormats, looksLikeAddress, looksLikeId, maxWords } from './text-rules.ts';

/** An object with more different keys may be a map. */
const minMapKeys = 50;
/** If all values have one kind, an object with this many keys is a map from the first event on. */
const manyKeys = 500;
/** Keys are checked again after this many new ones. */
const keysPerCheck = 25;
const minIdShare = 0.9;
/** How many times as many different keys as an object has on average. */
const minChange = 1.5;

/** Whether the keys of an object that has just got a new one are ids. */
export function isMap(object: ObjectShape, newKey: string): boolean {
  const { properties } = object;
  const keys = [...properties.keys()];
  if (looksLikeAddress(newKey)) return keys.every(looksLikeId);
  if (keys.length <= minMapKeys || keys.length % keysPerCheck !== 1) return false;
  if (keys.filter(looksLikeId).length >= minIdShare * keys.length) return true;
  if (!areAlike([...properties.values()])) return false;
  let present = 0;
  for (const { objects } of properties.values()) present += objects;
  const isChanging = object.count > 1 && keys.length > (minChange * present) / object.count;
  return isChanging || keys.length > manyKeys;
}

/** Whether all values are of one kind, or null. */
function areAlike(properties: readonly Property[]): boolean {
  let seen = 0;
  for (const { shape } of properties) seen |= shape.seenKinds & ~kinds.null;
  if (seen & kinds.number) seen &= ~kinds.integer;
  // A power of two: one bit.
  return (seen & (seen - 1)) === 0;
}

/** Makes the object a map: its properties become one shape. */
export function becomeMap(object: ObjectShape): Shape | null {
  let values: Shape | null = null;
  for (const { shape } of object.properties.values()) values = values ? mergeInto(values, shape) : shape;
  object.properties.clear();
  if (values) values.events = object.events;
  object.values = values;
  return values;
}

/** Merges `other` into `shape`. */
function mergeInto(shape: Shape, other: Shape): Shape {
  shape.events = Math.max(shape.events, other.events);
  shape.seenKinds |= other.seenKinds;
  shape.formats = (shape.strings > 0 ? shape.formats : allFormats) & (other.strings > 0 ? other.formats : allFormats);
  shape.strings += other.strings;
  shape.hasLargeIntegers ||= other.hasLargeIntegers;
  shape.words = shape.words && other.words ? shape.words.union(other.words) : null;
  if (shape.words && shape.words.size > maxWords) shape.words = null;
  shape.isCut ||= other.isCut;
  shape.lastEvent = Math.max(shape.lastEvent, other.lastEvent);
  if (other.object) shape.object = mergeObjects(shape.object ?? newObject(), other.object);
  if (other.list) {
    const { items, isCut } = other.list;
    shape.list ??= { items: null, isCut: false };
    shape.list.isCut ||= isCut;
    if (items) shape.list.items = shape.list.items ? mergeInto(shape.list.items, items) : items;
  }
  return shape;
}

function mergeObjects(object: ObjectShape, other: ObjectShape): ObjectShape {
  object.count += other.count;
  object.events = Math.max(object.events, other.events);
  object.isCut ||= other.isCut;
  object.lastEvent = Math.max(object.lastEvent, other.lastEvent);
  if (object.values || other.values) {
    const [mine, its] = [object, other].map(one => one.values ?? becomeMap(one));
    object.values = mine && its ? mergeInto(mine, its) : (mine ?? its ?? null);
    return object;
  }
  for (const [key, theirs] of other.properties) {
    const own = object.properties.get(key);
    if (!own) {
      object.properties.set(key, { ...theirs, since: 1 });
      continue;
    }
    mergeInto(own.shape, theirs.shape);
    own.objects += theirs.objects;
    own.seen = Math.max(own.seen, theirs.seen);
    own.missed = Math.min(own.missed, theirs.missed);
    own.isGone &&= theirs.isGone;
    own.since = 1;
    own.lastEvent = Math.max(own.lastEvent, theirs.lastEvent);
  }
  return object;
}
