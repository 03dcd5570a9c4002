/*
 * The interface description: OpenAPI 3.1. `@elysiajs/swagger` generates it from the routes and the schemas that validate
 * requests and responses; the refinements in openapi/ make it valid and complete enough to generate clients from.
 */
import { type AnyElysia, Elysia } from 'elysia';
import { apiVersion } from '../core/limits.ts';
import type { Document } from './openapi/document.ts';
import { refine } from './openapi/refine.ts';
import { tags } from './openapi/tags.ts';
import { declaredOperations } from './route-table.ts';

const documentPath = '/document';

/** @param api the routes to describe; those with `detail.hide` are left out */
export async function describeApi(api: AnyElysia, baseUrl: string, sessionCookie: string): Promise<Document> {
  // Imported only when the description is requested: loading the plugin would slow down every start.
  const { swagger } = await import('@elysiajs/swagger');
  // This instance does not serve requests, so the plugin's own page, which loads its script from a CDN, is not reachable.
  const generator = new Elysia().use(api).use(
    swagger({
      specPath: documentPath,
      // The plugin has the types of OpenAPI 3.0.
      documentation: documentation(baseUrl, sessionCookie) as object,
    }),
  );
  const response = await generator.handle(new Request(`http://internal${documentPath}`));
  return refine((await response.json()) as Document, declaredOperations(api.routes));
}

const documentation = (baseUrl: string, sessionCookie: string): Omit<Document, 'paths'> => ({
  openapi: '3.1.0',
  info: {
    title: 'Hooktape',
    version: apiVersion,
    description:
      'Captures webhook deliveries per endpoint, stores them exactly as they were received, and lets the account read, search, verify, export and replay them. Times are epoch milliseconds. Every error response is `{ "error": string }`. A query parameter, or a property of a body, that an operation does not describe is refused with 400. The version is the date of this contract; generators that need a semantic version take their own, such as `packageVersion` of openapi-generator.',
    contact: { name: 'This installation of Hooktape', url: baseUrl },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: baseUrl }],
  security: [{ bearer: [] }, { session: [] }],
  tags,
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
        description:
          'The session of a signed-in browser. Requests that change something must come from a page of this server, with a JSON body.',
      },
    },
  },
});
