/* Moves schemas with a title to the components, and gives responses that are not JSON their media types. */
import {
  type Document,
  isSchema,
  mapContents,
  mapSchemas,
  mapValues,
  type Refinement,
  type Schema,
} from './document.ts';

/** Responses that are not JSON, or have several media types (`byMediaType` in http/schemas.ts). */
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

/** Properties that are not in the schema of a request body are refused (http/input.ts). */
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
