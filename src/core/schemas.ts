/* Building blocks of the schemas in core; http/schemas.ts has those of requests and responses. */
import { type TSchema, Type as t } from '@sinclair/typebox';

export const nullable = <T extends TSchema>(schema: T, options: { description?: string } = {}) =>
  t.Union([schema, t.Null()], options);

/** A choice of texts. */
export const literals = <const T extends readonly string[]>(values: T, options: { description?: string } = {}) =>
  t.Unsafe<T[number]>(
    t.Union(
      values.map(value => t.Literal(value)),
      options,
    ),
  );
