/*
 * Corrects what `@elysiajs/swagger` 1.3.1 generates: three content types for every body, the keywords of a response's schema
 * in the response object, and empty lists of parameters.
 */
import {
  mapContents,
  mapOperations,
  mapValues,
  type Refinement,
  type ResponseObject,
  type Schema,
} from './document.ts';

const json = 'application/json';

/** The plugin cannot tell which content types a custom body parser accepts, and lists three. */
export const jsonContent: Refinement = document =>
  mapContents(document, content => (content[json] ? { [json]: content[json] } : content));

/** Takes the keywords of the schema, such as its title, from the response object back into the schema. */
export const responseSchemas: Refinement = document =>
  mapOperations(document, operation => ({
    ...operation,
    responses: mapValues(operation.responses, ({ headers, content = {}, ...keywords }: ResponseObject) => ({
      description: '',
      ...(headers && { headers }),
      content: mapValues(content, media => ({ ...media, schema: { ...(keywords as Schema), ...media.schema } })),
    })),
  }));

export const nonEmptyParameters: Refinement = document =>
  mapOperations(document, ({ parameters = [], ...operation }) => ({
    ...operation,
    ...(parameters.length > 0 && { parameters }),
  }));
