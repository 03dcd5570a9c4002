/* Building blocks of the schemas in core; http/schemas.ts has the building blocks of requests and responses. */

import { type TSchema, Type as t } from '@sinclair/typebox';
import { maxNameCharacters } from '../shared/limits.ts';
import { maxUrlCharacters } from './network/destination.ts';

export const nullable = <T extends TSchema>(schema: T, options: { description?: string } = {}) =>
  t.Union([schema, t.Null()], options);

export const literals = <const T extends readonly string[]>(values: T, options: { description?: string } = {}) =>
  t.Unsafe<T[number]>(
    t.Union(
      values.map(value => t.Literal(value)),
      options,
    ),
  );

/**
 * Text that is documented more precisely than it is validated here: TypeBox counts characters as UTF-16 units and accepts numbers
 * such as `1e1`, so services check the rest.
 * @param documentedAs the schema that readers of the interface description see
 * @param validated the schema that is checked before the text reaches a service
 */
export const textDocumentedAs = (documentedAs: TSchema, validated: { description: string; pattern?: string }) =>
  t.String({ ...validated, documentedAs });

export const Name = textDocumentedAs(t.String({ minLength: 1, maxLength: maxNameCharacters }), {
  description: `1 to ${maxNameCharacters} characters after trimming`,
});

/** The JSON Schema without TypeBox's symbols, and without the keyword of `textDocumentedAs`. */
export const toJsonSchema = (schema: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'documentedAs' ? undefined : value))) as Record<
    string,
    unknown
  >;

export const HeaderPairs = (options: { maxItems: number; description?: string }) =>
  t.Array(t.Tuple([t.String(), t.String()], { problem: 'must be a pair of a name and a value' }), options);

/** What a destination must be; services check the rest. */
export const HttpUrl = (description: string) =>
  textDocumentedAs(
    t.String({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]', maxLength: maxUrlCharacters }),
    { description },
  );
