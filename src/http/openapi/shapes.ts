/*
 * Rewrites the schemas of TypeBox in forms that client generators understand. They accept the same values as before.
 */
import { type Document, isSchema, mapSchemas, type Refinement, type Schema } from './document.ts';

const schemaRefinement =
  (map: (schema: Schema) => Schema): Refinement =>
  (document: Document) =>
    mapSchemas(document, map);

/** Puts the documented schema in place of the validated one (`textDocumentedAs` in http/schemas.ts), with the latter's annotations. */
export const documentedSchemas = schemaRefinement(({ documentedAs, problem: _, ...schema }) => {
  if (!isSchema(documentedAs)) return schema;
  const annotations = ['title', 'description', 'examples'].filter(name => name in schema);
  return { ...documentedAs, ...Object.fromEntries(annotations.map(name => [name, schema[name]])) };
});

/** Elysia closes the schemas that it has compiled. Responses may gain properties; `closedRequests` closes request bodies again. */
export const openObjects = schemaRefinement(({ additionalProperties, ...schema }) =>
  isSchema(additionalProperties) ? { ...schema, additionalProperties } : schema,
);

/** A map: `additionalProperties`, which every generator knows, in place of one pattern for all names. */
export const maps = schemaRefinement(schema => {
  const { patternProperties, ...rest } = schema;
  const [value, ...others] = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  return value === undefined || others.length > 0 ? schema : { ...rest, additionalProperties: value };
});

/** A tuple: `prefixItems` as in 3.1, and `items` for generators that only know lists. */
export const tuples = schemaRefinement(({ additionalItems, ...schema }) => {
  const { items } = schema;
  if (!Array.isArray(items)) return schema;
  const kinds = [...new Set(items.map(item => JSON.stringify(item)))];
  return { ...schema, prefixItems: items, items: kinds.length === 1 ? items[0] : { anyOf: items } };
});

const constantOf = (schema: unknown): unknown => (isSchema(schema) ? schema['const'] : undefined);
const isNull = (schema: unknown): boolean => isSchema(schema) && schema['type'] === 'null';

/** A union of string literals: `enum`. */
export const enums = schemaRefinement(schema => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every(option => typeof constantOf(option) === 'string')) return schema;
  return { ...rest, type: 'string', enum: anyOf.map(constantOf) };
});

/** "Integer or null": a list of types. A nullable enum or reference stays a union. */
export const nullables = schemaRefinement(schema => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isNull(anyOf[1])) return schema;
  const [value] = anyOf;
  if (!isSchema(value) || typeof value['type'] !== 'string' || 'enum' in value || 'properties' in value) return schema;
  return { ...value, ...rest, type: [value['type'], 'null'] };
});

const maxInt32 = 2 ** 31 - 1;

/** Without a format, generated clients in Java, Kotlin, C# and Rust use 32 bits, too few for epoch milliseconds. */
export const integerFormats = schemaRefinement(schema => {
  const types = [schema['type']].flat();
  if (!types.includes('integer') || 'format' in schema) return schema;
  const isSmall = typeof schema['maximum'] === 'number' && schema['maximum'] <= maxInt32;
  return { ...schema, format: isSmall ? 'int32' : 'int64' };
});
