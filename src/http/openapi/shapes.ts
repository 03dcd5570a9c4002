/*
 * Schemas as TypeBox writes them, in the forms that generators of clients understand. What a schema takes stays the same:
 * these refinements change how it is said.
 */
import { type Document, isSchema, mapSchemas, type Refinement, type Schema } from './document.ts';

const schemaRefinement =
  (map: (schema: Schema) => Schema): Refinement =>
  (document: Document) =>
    mapSchemas(document, map);

/** What the server checks is not always what a reader is told (`described` in http/schemas.ts): the latter counts here. */
export const describedSchemas = schemaRefinement(({ documentedAs, ...schema }) => {
  if (!isSchema(documentedAs)) return schema;
  const { title, description } = schema;
  return { ...documentedAs, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
});

/** Elysia closes the schemas that it has used. An answer may grow; requests are closed again by `namedRequests`. */
export const openObjects = schemaRefinement(({ additionalProperties, ...schema }) =>
  isSchema(additionalProperties) ? { ...schema, additionalProperties } : schema,
);

/** A map of anything: `additionalProperties`, which every generator takes for a map, in place of a pattern for every name. */
export const maps = schemaRefinement(schema => {
  const { patternProperties, ...rest } = schema;
  const [value, ...others] = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  return value === undefined || others.length > 0 ? schema : { ...rest, additionalProperties: value };
});

/** A tuple is `prefixItems` in 3.1; `items` beside it is what generators, which know no tuples, make lists of. */
export const tuples = schemaRefinement(({ additionalItems, ...schema }) => {
  const { items } = schema;
  if (!Array.isArray(items)) return schema;
  const kinds = [...new Set(items.map(item => JSON.stringify(item)))];
  return { ...schema, prefixItems: items, items: kinds.length === 1 ? items[0] : { anyOf: items } };
});

const constantOf = (schema: unknown): unknown => (isSchema(schema) ? schema['const'] : undefined);
const isNull = (schema: unknown): boolean => isSchema(schema) && schema['type'] === 'null';

/** A choice of texts is an `enum`. */
export const enums = schemaRefinement(schema => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every(option => typeof constantOf(option) === 'string')) return schema;
  return { ...rest, type: 'string', enum: anyOf.map(constantOf) };
});

/** "Integer or null" is a list of types. An enum or a reference that may be null stays a choice of two. */
export const nullables = schemaRefinement(schema => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isNull(anyOf[1])) return schema;
  const [value] = anyOf;
  if (!isSchema(value) || typeof value['type'] !== 'string' || 'enum' in value || 'properties' in value) return schema;
  return { ...value, ...rest, type: [value['type'], 'null'] };
});

const maxInt32 = 2 ** 31 - 1;

/** Without a format, generated clients in Java, Kotlin, C# and Rust take 32 bits, and no epoch millisecond fits into them. */
export const integerFormats = schemaRefinement(schema => {
  const types = [schema['type']].flat();
  if (!types.includes('integer') || 'format' in schema) return schema;
  const isSmall = typeof schema['maximum'] === 'number' && schema['maximum'] <= maxInt32;
  return { ...schema, format: isSmall ? 'int32' : 'int64' };
});
