/*
 * The interface description, made from the very schemas that validate requests and responses, so the two cannot drift
 * apart. OpenAPI 3.1, whose schemas are JSON Schema, as TypeBox's are. This file writes down what the routes say of themselves;
 * openapi/ makes of it what clients are generated from.
 */
import type { TSchema } from '@sinclair/typebox';
import { apiVersion } from '../core/limits.ts';
import type { Document, Operation, Parameter, ResponseObject, Schema } from './openapi/document.ts';
import { refine } from './openapi/refine.ts';

type Detail = Partial<Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags' | 'security'>>;

export type RouteInfo = {
  method: string;
  path: string;
  hooks: {
    detail?: Detail & { hide?: boolean };
    params?: TSchema;
    query?: TSchema;
    body?: TSchema;
    response?: Record<string, TSchema>;
  };
};

/** @param routes Elysia's `app.routes`; those with an `operationId` are described */
export function describeApi(routes: readonly RouteInfo[], baseUrl: string, sessionCookie: string): Document {
  const paths: Document['paths'] = {};
  for (const route of routes) {
    const { operationId, hide } = route.hooks.detail ?? {};
    if (operationId === undefined || hide) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(operationId, route) };
  }
  return refine({
    openapi: '3.1.0',
    info: {
      title: 'Hooktape',
      version: apiVersion,
      description:
        'Captures webhook deliveries per endpoint, stores them exactly as they came, and lets the account read, search, verify, export and replay them. Times are epoch milliseconds. Every failure is `{ "error": string }`.',
      contact: { name: 'This installation of Hooktape', url: baseUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }, { session: [] }],
    tags: [...new Set(routes.flatMap(({ hooks }) => hooks.detail?.tags ?? []))].map(name => ({ name })),
    paths,
    components: {
      schemas: {},
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key (`htk_…`) or an OAuth 2.1 access token of a connected app.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'A signed-in browser. It changes something only from a page of this server, in JSON.',
        },
      },
    },
  });
}

function operation(operationId: string, { path, hooks }: RouteInfo): Operation {
  const { detail, params, query, body, response = {} } = hooks;
  const parameters = [
    ...parametersOf('path', plain(params) ?? pathParams(path)),
    ...parametersOf('query', plain(query)),
  ];
  const { summary, description, tags, security } = detail ?? {};
  return {
    operationId,
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(tags && { tags }),
    ...(security && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: Object.fromEntries(
      Object.entries(response).map(([status, schema]): [string, ResponseObject] => [
        status,
        { description: '', content: json(schema) },
      ]),
    ),
  };
}

const json = (schema: TSchema) => ({ 'application/json': { schema: plain(schema) ?? {} } });

/** Without TypeBox's own symbols. */
const plain = (schema: TSchema | undefined): Schema | undefined =>
  schema && (JSON.parse(JSON.stringify(schema)) as Schema);

const pathParams = (path: string): Schema => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  return { properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])), required: names };
};

function parametersOf(place: 'path' | 'query', schema: Schema = {}): Parameter[] {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const required = new Set((schema['required'] ?? []) as string[]);
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    ...(typeof description === 'string' && { description }),
    schema: property,
  }));
}
