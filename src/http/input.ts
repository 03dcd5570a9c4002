/* Body and query of a request, validated more strictly than Elysia does: nothing is coerced or ignored. */
import { type Static, type TObject, type TSchema, Type as t } from '@sinclair/typebox';
import { invalid, invalidInput } from '../core/errors.ts';
import { readFields } from '../core/read-fields.ts';
import { decodeUtf8 } from '../core/text.ts';
import { bodyOf } from './fetch-adapter.ts';

/** `parse` replaces `JSON.parse`. With `nullIsAbsent`, optional properties may be null, which means absent. */
export type JsonOptions = { parse?: (text: string) => unknown; nullIsAbsent?: boolean };

const fieldNames = new WeakMap<Request, readonly string[]>();

/** The names of the properties in the JSON body of a request; undefined without a valid one. */
export const givenFields = (request: Request): readonly string[] | undefined => fieldNames.get(request);

/**
 * The JSON body of a route. Validated here and not by Elysia, whose error messages contain the values that were sent, and
 * fail for an object with its own `toString`. Properties that are not in the schema are refused.
 */
export const jsonInput = <T extends TObject>(
  schema: T,
  { parse = JSON.parse, nullIsAbsent = false }: JsonOptions = {},
) => {
  const taken: TObject = nullIsAbsent ? withNulls(schema) : schema;
  const closed: TObject = { ...taken, additionalProperties: false };
  return {
    // Destructured, because Elysia reads the source of a hook to find what it uses, and misreads a longer use of its parameter.
    async parse({ request }: { request: Request }): Promise<unknown> {
      const value = await jsonBody(request, parse);
      const read = readFields(closed, value);
      if ('problems' in read) throw invalidInput('body', read.problems);
      fieldNames.set(request, Object.keys(Object(read.value)));
      return nullIsAbsent ? withoutNulls(schema, read.value as Record<string, unknown>) : read.value;
    },
    body: t.Unsafe<Static<T>>({ ...taken }),
  };
};

/**
 * Ignores the content type. The body must be UTF-8: invalid bytes would otherwise be stored as U+FFFD.
 * @throws invalid, and what `bodyOf` throws
 */
async function jsonBody(request: Request, parse: (text: string) => unknown): Promise<unknown> {
  const text = decodeUtf8(await bodyOf(request));
  if (text === undefined) throw invalid('the body is not valid UTF-8');
  try {
    return parse(text);
  } catch {
    throw invalid('the body is not valid JSON');
  }
}

/** The query of a route. A repeated parameter is refused, because Elysia would use the last one. @throws invalid */
export const queryOf = <T extends TObject>(query: T) => ({
  query,
  transform({ request }: { request: Request }): void {
    const given = new URL(request.url, 'http://internal').searchParams;
    const repeated = Object.keys(query.properties).find(name => given.getAll(name).length > 1);
    if (repeated !== undefined) throw invalidInput('query', [{ path: [repeated], message: 'given more than once' }]);
  },
});

/**
 * The schema in which optional properties may be null, including properties of objects in it. A schema without optional
 * properties is returned as it is.
 */
function withNulls<T extends TObject>(schema: T): T {
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
function withoutNulls(schema: TObject, value: Record<string, unknown>): Record<string, unknown> {
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
