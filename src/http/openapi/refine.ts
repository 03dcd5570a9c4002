/* Corrects the generated document, so that client generators accept it. The order matters where a comment says so. */

import type { DeclaredOperation } from '../route-table.ts';
import {
  type Document,
  isSchema,
  mapContents,
  mapOperations,
  mapSchemas,
  mapValues,
  type Refinement,
  type ResponseObject,
  type Schema,
} from './document.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { commonResponses, responseDescriptions } from './responses.ts';
import { documentedSchemas, enums, integerFormats, maps, nullables, openObjects, tuples } from './shapes.ts';

/** Responses that are not JSON, or have several media types (`byMediaType` in http/schemas.ts). */
const mediaTypes: Refinement = document =>
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
const closedRequests: Refinement = document =>
  mapContents(document, (content, { isRequest }) =>
    isRequest
      ? mapValues(content, media => ({ ...media, schema: { ...media.schema, additionalProperties: false } }))
      : content,
  );

/** Moves schemas with a title to the components. */
const namedSchemas: Refinement = document => {
  const schemas: Record<string, Schema> = {};
  const referred = mapSchemas(document, ({ title, ...schema }) => {
    if (typeof title !== 'string') return schema;
    schemas[title] ??= schema;
    return { $ref: `#/components/schemas/${title}` };
  });
  return { ...referred, components: { ...referred.components, schemas } } satisfies Document;
};

const json = 'application/json';

/** `@elysiajs/swagger` 1.3.1 cannot tell which content types a custom body parser accepts, and lists three. */
const jsonContent: Refinement = document =>
  mapContents(document, content => (content[json] ? { [json]: content[json] } : content));

/** The plugin puts the keywords of a response's schema, such as its title, into the response object. */
const responseSchemas: Refinement = document =>
  mapOperations(document, operation => ({
    ...operation,
    responses: mapValues(operation.responses, ({ headers, content = {}, ...keywords }: ResponseObject) => ({
      description: '',
      ...(headers && { headers }),
      content: mapValues(content, media => ({ ...media, schema: { ...(keywords as Schema), ...media.schema } })),
    })),
  }));

/** The plugin generates empty lists of parameters. */
const nonEmptyParameters: Refinement = document =>
  mapOperations(document, ({ parameters = [], ...operation }) => ({
    ...operation,
    ...(parameters.length > 0 && { parameters }),
  }));

const refinements = (declared: readonly DeclaredOperation[]): readonly Refinement[] => [
  jsonContent,
  responseSchemas,
  nonEmptyParameters,
  commonResponses,
  responseDescriptions(declared),
  mediaTypes,
  documentedSchemas,
  openObjects,
  maps,
  tuples,
  // Before `nullables`, which does not change enums.
  enums,
  nullables,
  integerFormats,
  closedRequests,
  namedSchemas,
  requestHeaders,
  responseHeaders,
];

export const refine = (document: Document, declared: readonly DeclaredOperation[]): Document =>
  refinements(declared).reduce((refined, refinement) => refinement(refined), document);
