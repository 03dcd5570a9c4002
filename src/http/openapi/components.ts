/* Schemas with a title become components that are referred to, and answers that are no JSON get their media types. */
import {
  type Document,
  isSchema,
  mapContents,
  mapSchemas,
  mapValues,
  type Refinement,
  type Schema,
} from './document.ts';

/** An answer that is no JSON, or one of several: a schema for each media type (`files` in http/schemas.ts). */
export const mediaTypes: Refinement = document =>
  mapContents(document, content =>
    Object.fromEntries(
      Object.entries(content).flatMap(([type, media]) => {
        const { mediaTypes } = media.schema;
        if (!isSchema(mediaTypes)) return [[type, media]];
        return Object.entries(mediaTypes as Record<string, Schema>).map(([name, schema]) => [name, { schema }]);
      }),
    ),
  );

/** The body of a request takes nothing that it does not name: that is Elysia's own rule for input. */
export const closedRequests: Refinement = document =>
  mapContents(document, (content, { isRequest }) =>
    isRequest
      ? mapValues(content, media => ({ ...media, schema: { ...media.schema, additionalProperties: false } }))
      : content,
  );

export const namedSchemas: Refinement = document => {
  const schemas: Record<string, Schema> = {};
  const referred = mapSchemas(document, ({ title, ...schema }) => {
    if (typeof title !== 'string') return schema;
    schemas[title] ??= schema;
    return { $ref: `#/components/schemas/${title}` };
  });
  return { ...referred, components: { ...referred.components, schemas } } satisfies Document;
};
