/*
 * The interface description, made from the very schemas that validate requests and responses, so the two cannot drift
 * apart. (@elysiajs/swagger writes an invalid document for these, and its page loads from a CDN.) OpenAPI 3.1, whose
 * schemas are JSON Schema, as TypeBox's are.
 */
import type { TSchema } from '@sinclair/typebox';
import { isOpenToApps } from '../core/app-permissions.ts';
import { apiVersion } from '../core/limits.ts';
import { gateRefusals } from './gate.ts';
import { bodyRefusals } from './request-body.ts';
import { ErrorBody } from './schemas.ts';

export type RouteInfo = {
  method: string;
  path: string;
  hooks: {
    detail?: {
      operationId?: string;
      summary?: string;
      description?: string;
      tags?: string[];
      hide?: boolean;
      /** `[]`: the operation needs no credentials; with `{}` among others: it takes them, and needs none. */
      security?: Record<string, string[]>[];
    };
    params?: TSchema;
    query?: TSchema;
    body?: TSchema;
    response?: Record<string, TSchema>;
  };
};

type Json = Record<string, unknown>;

const reasons: Record<string, string> = {
  200: 'Done',
  201: 'Created',
  400: 'Invalid input',
  401: 'Credentials missing, invalid or revoked',
  403: 'A limit of the plan or account is reached, the role or the scope of the access token does not allow it, or a browser asks for another site',
  404: 'Does not exist, or belongs to somebody else',
  408: 'The body did not arrive in time',
  409: 'In conflict with what exists',
  413: 'Too large',
  415: 'With a session, or signing in: the content type is not application/json',
  421: 'With a session, or signing in: not a name of this server',
  429: 'Rate limit exceeded',
  502: 'The destination could not be reached at all',
  503: 'Try again later',
};

const closedToApps = 'A connected app, or an API key that one made, may not do this';

/** @param routes Elysia's `app.routes`; those with an `operationId` are described */
export function describeApi(routes: readonly RouteInfo[], baseUrl: string, sessionCookie: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { detail } = route.hooks;
    if (!detail?.operationId || detail.hide) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hooktape',
      version: apiVersion,
      description:
        'Captures webhook deliveries per endpoint, stores them exactly as they came, and lets the account read, search, verify, export and replay them. Times are epoch milliseconds. Every failure is `{ "error": string }`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }, { session: [] }],
    tags: [...new Set(routes.flatMap(({ hooks }) => hooks.detail?.tags ?? []))].map(name => ({ name })),
    paths,
    components: {
      schemas,
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
  };
}

function operation({ method, path, hooks }: RouteInfo, schemas: Json): Json {
  const { detail, params, query, body } = hooks;
  const statuses = [...gateRefusals(method), ...(body ? bodyRefusals : [])];
  const refusals = Object.fromEntries(statuses.map(status => [status, ErrorBody]));
  const response: Record<string, TSchema> = { ...refusals, ...hooks.response };
  const parameters = [
    ...parametersOf('path', params ?? pathParams(path), schemas),
    ...parametersOf('query', query, schemas),
  ];
  return {
    operationId: detail?.operationId,
    ...(detail?.summary && { summary: detail.summary }),
    ...(detail?.description && { description: detail.description }),
    ...(detail?.tags && { tags: detail.tags }),
    ...(detail?.security && { security: detail.security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: asked(body, schemas) } } } }),
    responses: Object.fromEntries(
      Object.entries(response).map(([status, schema]) => [
        status,
        answer(status, schema, schemas, status === '403' && !isOpenToApps(method, path) ? closedToApps : undefined),
      ]),
    ),
  };
}

/** @param firstReason said before the usual reason for this status */
function answer(status: string, schema: TSchema, schemas: Json, firstReason?: string): Json {
  const type = typeof schema['contentMediaType'] === 'string' ? schema['contentMediaType'] : 'application/json';
  return {
    description: [firstReason, reasons[status] ?? 'Answer'].filter(Boolean).join('. '),
    ...((status === '429' || status === '503') && {
      headers: { 'Retry-After': { description: 'seconds to wait', schema: { type: 'integer', minimum: 1 } } },
    }),
    content: { [type]: { schema: plain(schema, schemas) } },
  };
}

const pathParams = (path: string): TSchema | undefined => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  if (names.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    required: names,
  } as unknown as TSchema;
};

function parametersOf(place: 'path' | 'query', schema: TSchema | undefined, schemas: Json): Json[] {
  const properties = (schema?.['properties'] ?? {}) as Record<string, TSchema>;
  const required = new Set((schema?.['required'] ?? []) as string[]);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = plain(property, schemas) as Json;
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/** A request body: what it does not name is refused (Elysia's own rule for input). */
function asked(schema: TSchema, schemas: Json): Json {
  const { title = '', ...rest } = schema;
  schemas[title] = { ...(plain(rest, schemas) as Json), additionalProperties: false };
  return { $ref: `#/components/schemas/${title}` };
}

/** A schema as plain JSON; those with a title become components and are referred to. */
function plain(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map(item => plain(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  // Elysia writes `additionalProperties` into the schemas that it has used; an answer may grow.
  const { title, additionalProperties: _, described, ...rest } = schema as Json;
  if (described !== undefined) return { ...(plain(described, schemas) as Json), description: rest['description'] };
  const content = Object.fromEntries(
    Object.entries(literalUnion(rest)).map(([key, value]) => [key, plainKeyword(key, value, schemas)]),
  );
  if (typeof title !== 'string') return content;
  schemas[title] ??= content;
  return { $ref: `#/components/schemas/${title}` };
}

const plainKeyword = (key: string, value: unknown, schemas: Json): unknown =>
  key === 'properties'
    ? Object.fromEntries(Object.entries(value as Json).map(([name, property]) => [name, plain(property, schemas)]))
    : plain(value, schemas);

/** `anyOf` of constants reads better, and generates better clients, as `enum`; a 3.1 tuple is `prefixItems`. */
function literalUnion(schema: Json): Json {
  const { anyOf, items, additionalItems, ...rest } = schema;
  if (Array.isArray(anyOf) && anyOf.every(option => Object.hasOwn(option as Json, 'const')))
    return { ...rest, type: 'string', enum: anyOf.map(option => (option as { const: unknown }).const) };
  if (Array.isArray(items)) return { ...rest, prefixItems: items };
  return schema;
}
