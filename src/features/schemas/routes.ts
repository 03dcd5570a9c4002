/* /api/endpoints/{id}/schemas */

import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { sandboxed } from '../../http/sandboxed.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { SchemaChangeList, SchemaParams, SchemaQuery, SchemaText, TypeSchemaList } from './model.ts';
import type { SchemasService } from './service.ts';

export const schemasRoutes = ({ gate, schemas }: { gate: Gate; schemas: SchemasService }) =>
  routesOf(gate, '/api/endpoints', 'Schemas')
    .get('/:id/schemas', async ({ principal, params }) => ({ schemas: await schemas.list(principal, params.id) }), {
      params: IdParams,
      response: responses({ 200: TypeSchemaList }, 404),
      ...operation({
        operationId: 'listSchemas',
        permission: 'reading',
        summary: 'The event types of an endpoint whose schema is known',
        description:
          'Schemas are learned in the background from the JSON bodies of all events, and stay when those are removed. An endpoint has at most 500.',
      }),
    })
    .get(
      '/:id/schemas/changes',
      async ({ principal, params }) => ({ changes: await schemas.changes(principal, params.id) }),
      {
        params: IdParams,
        response: responses({ 200: SchemaChangeList }, 404),
        ...operation({
          operationId: 'listSchemaChanges',
          permission: 'reading',
          summary: 'How the schemas of an endpoint changed',
          description:
            'Paths that appeared or vanished, and values of another kind, each once. Nothing is reported before 20 events had the surrounding object.',
        }),
      },
    )
    .get(
      '/:id/schemas/:type',
      async ({ principal, params, query }) => {
        const { text, mediaType } = await schemas.schema(principal, params.id, { type: params.type, ...query });
        return new Response(text, {
          headers: {
            'content-type': `${mediaType}; charset=utf-8`,
            ...sandboxed,
          },
        });
      },
      {
        params: SchemaParams,
        ...queryOf(SchemaQuery),
        response: responses({ 200: SchemaText }, 400, 404),
        ...operation({
          operationId: 'getSchema',
          permission: 'reading',
          summary: 'The schema of an event type, for validators or as source code',
          description:
            'It accepts every body that was read. A type called `changes` is written `%63hanges`. At most 2,000 paths are described: an object with more has `additionalProperties: true`.',
        }),
      },
    );
