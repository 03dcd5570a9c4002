/*
 * Merges one JSON body into a schema and returns the changes. Reads the text in one pass without recursion and yields from time
 * to time, so that the largest body blocks nothing. The text must be valid JSON: otherwise, the part before the error would stay
 * merged.
 */
import { type Change, endEvent, type Visited } from './changes.ts';
import { becomeMap, isMap } from './merge-shapes.ts';
import { type PathStep, pathText } from './paths.ts';
import { endOfText, readNumber, readText, skipContainer, skipSpaces } from './scanner.ts';
import {
  countPaths,
  kinds,
  maxDepth,
  maxKeyCharacters,
  maxPaths,
  newObject,
  newProperty,
  newShape,
  type ObjectShape,
  type Schema,
  type Shape,
} from './shape.ts';
import {
  allFormats,
  formatOf,
  isWord,
  looksLikeAddress,
  looksLikeId,
  maxFormatCharacters,
  maxWords,
  mayBeEnum,
} from './text-rules.ts';

export type Observation = {
  /** The changes to report: of a schema that many events had followed. */
  changes: Change[];
  /** Whether a path, a kind or an optional property is new. */
  isChanged: boolean;
};

/** Values between two yields. */
const valuesPerSlice = 500;
/** Longer texts of escapes are not read. */
const maxTextCharacters = 3 * maxFormatCharacters;
/** A new kind at a path is a change only after this many events with the path. */
const warmUpEvents = 20;

/** An object or list that is being read. */
type Frame = {
  object: ObjectShape | null;
  list: Shape['list'];
  /** Its number, which serves to recognise repeated keys. */
  serial: number;
};

/** @returns a generator that yields between slices of work */
export function* observe(schema: Schema, text: string): Generator<undefined, Observation> {
  const reader = createReader(schema, text);
  let values = 0;
  for (let isMore = true; isMore; ) {
    const step = reader.next();
    isMore = step === 'more';
    if (typeof step === 'object') isMore = reader.skipped(yield* skipContainer(text, step.skipFrom));
    if (++values % valuesPerSlice === 0) yield;
  }
  return reader.end();
}

function createReader(schema: Schema, text: string) {
  const event = ++schema.count;
  const frames: Frame[] = [];
  /** The path to the current value: a step for each frame. */
  const steps: PathStep[] = [];
  let visited: Visited[] = [];
  const typeChanges = new Map<string, Change>();
  let isChanged = false;
  let at = skipSpaces(text, 0);
  /** Where the next value is merged; undefined when it is not described. */
  let target: Shape | undefined = schema.root;

  const see = (shape: Shape, kind: number): void => {
    if (shape.lastEvent !== event) {
      shape.lastEvent = event;
      shape.events++;
    }
    if ((shape.seenKinds & kind) !== 0) return;
    const isWider = kind !== kinds.integer || (shape.seenKinds & kinds.number) === 0;
    if (shape.events > warmUpEvents && shape.seenKinds !== 0 && isWider) {
      const path = pathText(steps);
      typeChanges.set(path, { kind: 'type', path });
    }
    shape.seenKinds |= kind;
    isChanged = true;
  };

  /** A new shape below the value at `steps`; undefined when the schema is full. */
  const grow = (): Shape | undefined => {
    if (schema.paths >= maxPaths) return undefined;
    schema.paths++;
    isChanged = true;
    return newShape(mayBeEnum(steps.flatMap(step => ('key' in step ? [step.key] : []))));
  };

  const addProperty = (object: ObjectShape, key: string): Shape | undefined => {
    const isRefused = looksLikeAddress(key) && ![...object.properties.keys()].every(looksLikeId);
    const shape = isRefused ? undefined : grow();
    if (!shape) {
      isChanged ||= !object.isCut;
      object.isCut = true;
      return undefined;
    }
    object.properties.set(key, newProperty(shape, object.events));
    if (!isMap(object, key)) return shape;
    const values = becomeMap(object);
    schema.paths = countPaths(schema.root);
    const prefix = pathText(steps.slice(0, -1));
    // Everything below has another path now.
    visited = visited.filter(one => one.object === object || !one.path.startsWith(prefix) || one.path === prefix);
    return values ?? undefined;
  };

  /** The shape of a property of the object that is being read. */
  const propertyOf = (object: ObjectShape, key: string, serial: number): Shape | undefined => {
    if (object.values) return object.values;
    steps[steps.length - 1] = { key };
    const known = object.properties.get(key);
    const shape = known?.shape ?? addProperty(object, key);
    if (object.values) {
      steps[steps.length - 1] = { anyKey: true };
      return object.values;
    }
    const property = known ?? object.properties.get(key);
    if (property && property.lastObject !== serial) {
      property.lastObject = serial;
      property.objects++;
      property.lastEvent = event;
    }
    return shape;
  };

  /** Reads a key and the colon; `at` is then at the value. */
  const readKey = (object: ObjectShape, serial: number): void => {
    const end = endOfText(text, at);
    const isLong = end - at - 2 > maxKeyCharacters;
    target = isLong ? undefined : propertyOf(object, readText(text, at, end), serial);
    if (isLong) {
      isChanged ||= !object.isCut;
      object.isCut = true;
    }
    at = skipSpaces(text, skipSpaces(text, end) + 1);
  };

  const enterObject = (shape: Shape): void => {
    see(shape, kinds.object);
    shape.object ??= newObject();
    const { object } = shape;
    object.count++;
    if (object.lastEvent !== event) {
      object.lastEvent = event;
      object.events++;
      visited.push({ object, path: pathText(steps) });
    }
    frames.push({ object, list: null, serial: ++schema.lastObject });
    steps.push(object.values ? { anyKey: true } : { key: '' });
  };

  const enterList = (shape: Shape): void => {
    see(shape, kinds.list);
    shape.list ??= { items: null, isCut: false };
    frames.push({ object: null, list: shape.list, serial: 0 });
    steps.push({ anyItem: true });
  };

  const itemOf = (list: NonNullable<Shape['list']>): Shape | undefined => {
    list.items ??= grow() ?? null;
    if (!list.items) list.isCut = true;
    return list.items ?? undefined;
  };

  const readScalar = (): void => {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfText(text, at);
      if (target) {
        see(target, kinds.string);
        seeText(target, end - at > maxTextCharacters ? undefined : readText(text, at, end));
      }
      at = end;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const { end, isInteger, isLarge } = readNumber(text, at);
      if (target) {
        see(target, isInteger ? kinds.integer : kinds.number);
        if (isLarge) target.hasLargeIntegers = true;
      }
      at = end;
    } else {
      if (target) see(target, code === 0x6e ? kinds.null : kinds.boolean);
      at += code === 0x66 ? 5 : 4;
    }
  };

  /** Continues after a value. @returns whether another value follows */
  const goOn = (): boolean => {
    for (;;) {
      at = skipSpaces(text, at);
      const frame = frames.at(-1);
      if (!frame || at >= text.length) return false;
      const isEnd = text.charCodeAt(at) !== 0x2c;
      at = skipSpaces(text, at + 1);
      if (isEnd) {
        frames.pop();
        steps.pop();
        continue;
      }
      if (frame.object) readKey(frame.object, frame.serial);
      else target = frame.list ? itemOf(frame.list) : undefined;
      return true;
    }
  };

  return {
    /** Reads one value, or enters an object or list. `skipFrom`: an object or list that is not described. */
    next(): 'more' | 'end' | { skipFrom: number } {
      const code = text.charCodeAt(at);
      if (code !== 0x7b && code !== 0x5b) {
        readScalar();
        return goOn() ? 'more' : 'end';
      }
      if (!target || frames.length >= maxDepth) {
        if (target) {
          see(target, code === 0x7b ? kinds.object : kinds.list);
          target.isCut = true;
        }
        return { skipFrom: at };
      }
      if (code === 0x7b) enterObject(target);
      else enterList(target);
      at = skipSpaces(text, at + 1);
      const isEmpty = text.charCodeAt(at) === code + 2;
      const frame = frames.at(-1);
      if (isEmpty || !frame) return goOn() ? 'more' : 'end';
      if (frame.object) readKey(frame.object, frame.serial);
      else target = frame.list ? itemOf(frame.list) : undefined;
      return 'more';
    },

    skipped(end: number): boolean {
      at = end;
      return goOn();
    },

    end(): Observation {
      const ended = endEvent(visited, event);
      return { changes: [...typeChanges.values(), ...ended.changes], isChanged: isChanged || ended.isChanged };
    },
  };
}

/** @param value undefined for a text that is too long to be anything but text */
function seeText(shape: Shape, value: string | undefined): void {
  shape.formats = shape.strings++ === 0 ? allFormats : shape.formats;
  if (shape.formats !== 0) shape.formats &= value === undefined ? 0 : formatOf(value);
  if (!shape.words) return;
  if (value !== undefined && isWord(value)) shape.words.add(value);
  else shape.words = null;
  if (shape.words && shape.words.size > maxWords) shape.words = null;
}
