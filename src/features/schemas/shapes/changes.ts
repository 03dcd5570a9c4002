/*
 * Finds the properties that appeared or vanished: only in objects that many events had, and never a property that comes and goes.
 */
import { propertyPath } from './paths.ts';
import type { ObjectShape, Property } from './shape.ts';
import { looksLikeId } from './text-rules.ts';

/** `type`: values have another kind than before. `path`: see paths.ts. */
export type Change = { kind: 'new' | 'vanished' | 'type'; path: string };

/** An object that the event has, and its path. */
export type Visited = { object: ObjectShape; path: string };

/** A property counts as new only after this many events with the object. */
const minEventsBefore = 20;
/** A property has vanished after this many events in a row that have the object but not the property. */
const vanishedAfter = 50;
/** It must have been present before in this many events, and in this share of them. */
const minEventsWith = 5;
const minShareWith = 0.9;
/**
 * Keys in fewer of the object's events are rare. An object with many rare keys has changing keys, so no change of its keys is
 * reported.
 */
const rareShare = 0.1;
const minRareKeys = 5;
const minShareOfRareKeys = 1 / 3;

/** Counts which properties the objects of an event have. @param event its number in the schema */
export function endEvent(visited: readonly Visited[], event: number): { changes: Change[]; isChanged: boolean } {
  const changes: Change[] = [];
  let isChanged = false;
  for (const { object, path } of visited) {
    const isTold = object.events > minEventsBefore && !hasChangingKeys(object);
    for (const [key, property] of object.properties) {
      const kind = property.lastEvent === event ? sawProperty(object, property) : missedProperty(object, property);
      if (kind && (kind === 'vanished' || (isTold && !looksLikeId(key))))
        changes.push({ kind, path: propertyPath(path, key) });
      if (!property.isOptional && property.objects < object.count) {
        property.isOptional = true;
        isChanged = true;
      }
    }
  }
  return { changes, isChanged };
}

function sawProperty(object: ObjectShape, property: Property): 'new' | undefined {
  const isNew = property.seen === 0 || property.isGone;
  if (property.isGone) {
    property.isGone = false;
    property.since = object.events;
    property.seen = 0;
  }
  property.seen++;
  property.missed = 0;
  return isNew ? 'new' : undefined;
}

function missedProperty(object: ObjectShape, property: Property): 'vanished' | undefined {
  property.missed++;
  if (property.isGone || property.missed !== vanishedAfter || property.seen < minEventsWith) return undefined;
  const eventsThen = object.events - property.missed - property.since + 1;
  if (property.seen < minShareWith * eventsThen) return undefined;
  property.isGone = true;
  return 'vanished';
}

function hasChangingKeys({ properties, events }: ObjectShape): boolean {
  let rare = 0;
  // The properties that are new with this event may all be permanent.
  for (const { shape, since } of properties.values()) if (since < events && shape.events < rareShare * events) rare++;
  return rare >= minRareKeys && rare >= minShareOfRareKeys * properties.size;
}
