/*
 * The interface description: OpenAPI 3.1. `@elysiajs/swagger` generates it from the routes and the schemas that validate
 * requests and responses; the refinements in openapi/ make it valid and complete enough to generate clients from.
 */
import { type AnyElysia, Elysia } from 'elysia';
import { apiVersion } from '../core/limits.ts';
import type { Document, Tag } from './openapi/document.ts';
import { refine } from './openapi/refine.ts';
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

/** The groups of operations, in the order of the document. */
const tags: Tag[] = [
  { name: 'Account', description: 'The account that the credentials belong to.' },
  {
    name: 'Endpoints',
    description:
      'URLs to register as webhook destinations, their live streams, feeds, consumers and listeners, and their history as a file.',
  },
  { name: 'Events', description: 'Captured deliveries: list, search, read and replay.' },
  {
    name: 'Alerts',
    description:
      'Notifications when an endpoint falls silent, signatures are wrong, schemas change or a forward is stuck.',
  },
  { name: 'Replay jobs', description: 'Many events, sent again at a pace, and answers of two handlers compared.' },
  { name: 'Forwards', description: 'Every event of an endpoint, sent on to a URL until it is accepted.' },
  {
    name: 'Filters',
    description: 'Filters in the language of `where`: saved, tried out, and used to delete events.',
  },
  {
    name: 'Answers',
    description: 'Custom answers for senders: errors, delays and faults, to test how they retry.',
  },
  {
    name: 'Redaction',
    description: 'What is taken out of the events of an endpoint before they are stored.',
  },
  {
    name: 'Schemas',
    description: 'The shape of the JSON bodies of each event type, learned from the events, and how it changed.',
  },
  {
    name: 'Erasures',
    description: 'Deletes every event that has a text, so that nothing of it is left on the disk.',
  },
  { name: 'Keys', description: 'API keys of the account. A full key is shown once, when it is created.' },
  { name: 'Apps', description: 'Apps that the account has connected by OAuth 2.1.' },
  {
    name: 'Secrets',
    description: 'Signing secrets that verify the signatures of deliveries. Responses never contain a secret.',
  },
  { name: 'Test events', description: 'Samples of the platforms, and how to connect each platform.' },
  { name: 'Sessions', description: 'Sign-in, passwords and first run, for the dashboard.' },
  { name: 'Team', description: 'Members of the team, and invitations to it.' },
];

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
