/* The parts of an OpenAPI 3.1 document that the refinements need, and functions that map over them. */

export type Schema = Record<string, unknown>;
export type MediaType = { schema: Schema };
export type Content = Record<string, MediaType>;
export type HeaderObject = { description: string; required?: boolean; schema: Schema };
export type ResponseObject = { description: string; headers?: Record<string, HeaderObject>; content?: Content };
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
};

export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  /** `[]`: no credentials; with `{}` among others: credentials are optional. */
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseObject>;
};

export type Tag = { name: string; description?: string };

export type Document = {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: Tag[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
};

/** Returns a changed copy of the document. */
export type Refinement = (document: Document) => Document;

export const mapValues = <A, B>(record: Record<string, A>, map: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));

/** @param map receives the method in lower case, as in the document */
export const mapOperations = (
  document: Document,
  map: (operation: Operation, method: string, path: string) => Operation,
): Document => ({
  ...document,
  paths: mapValues(document.paths, (item, path) =>
    mapValues(item, (operation, method) => map(operation, method, path)),
  ),
});

/** Maps every body of a request or response. */
export const mapContents = (
  document: Document,
  map: (content: Content, where: { status?: string; isRequest: boolean }) => Content,
): Document =>
  mapOperations(document, ({ requestBody, responses, ...operation }) => ({
    ...operation,
    ...(requestBody && { requestBody: { ...requestBody, content: map(requestBody.content, { isRequest: true }) } }),
    responses: mapValues(responses, (response, status) => ({
      ...response,
      ...(response.content && { content: map(response.content, { status, isRequest: false }) }),
    })),
  }));

/** Maps every schema of the document, nested schemas first. */
export function mapSchemas(document: Document, map: (schema: Schema) => Schema): Document {
  const deep = (schema: Schema): Schema => mapSchema(schema, map);
  const { components, ...rest } = mapContents(document, content =>
    mapValues(content, media => ({ ...media, schema: deep(media.schema) })),
  );
  const mapped = mapOperations({ ...rest, components }, ({ parameters, ...operation }) => ({
    ...operation,
    ...(parameters && { parameters: parameters.map(one => ({ ...one, schema: deep(one.schema) })) }),
  }));
  return { ...mapped, components: { ...components, schemas: mapValues(components.schemas, deep) } };
}

const mapsOfSchemas = ['properties', 'patternProperties', 'mediaTypes'];

/** Maps a schema and its nested schemas, nested schemas first. */
export function mapSchema(schema: Schema, map: (schema: Schema) => Schema): Schema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isSchema(value) ? mapSchema(value, map) : value;
  };
  return map(
    mapValues(schema, (value, key) => {
      if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') return value;
      return mapsOfSchemas.includes(key) && isSchema(value) ? mapValues(value, inside) : inside(value);
    }),
  );
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
