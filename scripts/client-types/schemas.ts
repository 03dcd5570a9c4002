/* The schemas of /openapi.json that the client libraries need, and the part of JSON Schema that these schemas use. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: Schema[];
};

type Operation = { requestBody?: { content: Content }; responses: Record<string, { content?: Content }> };
type Content = Record<string, { schema?: Schema }>;
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** The operations that the libraries call. */
export const operations = [
  'GET /api/endpoints',
  'POST /api/endpoints',
  'GET /api/endpoints/{id}',
  'DELETE /api/endpoints/{id}',
  'GET /api/endpoints/{id}/feed',
  'POST /api/endpoints/{id}/where/test',
  'GET /api/endpoints/{id}/answers',
  'PUT /api/endpoints/{id}/answers',
  'DELETE /api/endpoints/{id}/answers',
  'GET /api/events/{id}',
  'POST /api/events/{id}/replay',
] as const;

/**
 * The named schemas of these operations, and the schemas that they refer to, by name.
 * @throws if an operation or a schema is missing
 */
export function neededSchemas(document: OpenApi): [string, Schema][] {
  const found = new Map<string, Schema>();
  const visit = (schema: Schema): void => {
    const name = refersTo(schema);
    if (name !== undefined && found.has(name)) return;
    const visited = name === undefined ? schema : document.components.schemas[name];
    if (!visited) throw new Error(`/openapi.json has no schema ${name}`);
    if (name !== undefined) found.set(name, visited);
    for (const part of partsOf(visited)) visit(part);
  };
  for (const operation of operations) {
    const [method = '', path = ''] = operation.split(' ');
    const described = document.paths[path]?.[method.toLowerCase()];
    if (!described) throw new Error(`/openapi.json has no operation ${operation}`);
    const successes = Object.entries(described.responses).filter(([status]) => status.startsWith('2'));
    for (const content of [described.requestBody?.content, ...successes.map(([, response]) => response.content)])
      for (const { schema } of Object.values(content ?? {})) if (schema) visit(schema);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The name of the schema that `$ref` refers to. */
export const refersTo = ({ $ref }: Schema): string | undefined => $ref?.slice($ref.lastIndexOf('/') + 1);

const partsOf = (schema: Schema): Schema[] => [
  ...(schema.anyOf ?? []),
  ...(schema.allOf ?? []),
  ...Object.values(schema.properties ?? {}),
  ...(schema.prefixItems ?? []),
  ...(schema.items ? [schema.items] : []),
  ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
];

/** The types that a value may have; `type` is a single type or a list. */
export const typesOf = ({ type = [] }: Schema): string[] => [type].flat();
