/* For bodies that create something: an optional property that is null counts as absent. */
import { type TObject, type TSchema, Type as t } from '@sinclair/typebox';

/**
 * The schema in which optional properties may be null, including properties of objects in it. A schema without optional
 * properties is returned as it is.
 */
export function withNulls<T extends TObject>(schema: T): T {
  let isChanged = false;
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, given]) => {
      const inner = isObject(given) ? withNulls(given) : given;
      const property = schema.required?.includes(name) || takesNull(inner) ? inner : orNull(inner);
      isChanged ||= property !== given;
      return [name, property];
    }),
  );
  return isChanged ? { ...schema, properties } : schema;
}

/** The value without optional properties that are null. */
export function withoutNulls(schema: TObject, value: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(value).filter(([name, one]) => one !== null || schema.required?.includes(name));
  return Object.fromEntries(
    kept.map(([name, one]) => {
      const property = schema.properties[name];
      const isRead = property && isObject(property) && typeof one === 'object' && one !== null;
      return [name, isRead ? withoutNulls(property, one as Record<string, unknown>) : one];
    }),
  );
}

const isObject = (schema: TSchema): schema is TObject => schema['type'] === 'object' && 'properties' in schema;
const takesNull = ({ anyOf }: TSchema): boolean =>
  Array.isArray(anyOf) && anyOf.some(option => (option as TSchema)['type'] === 'null');
const orNull = (schema: TSchema): TSchema => t.Optional(t.Union([schema, t.Null()]));
