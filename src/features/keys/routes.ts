/* GET, POST and DELETE /api/keys (api-contract). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { IdParams, Ok, responses } from '../../http/schemas.ts';
import { ApiKeyList, CreatedApiKey, NewApiKey } from './model.ts';
import type { KeysService } from './service.ts';

export const keysRoutes = ({ gate, keys }: { gate: Gate; keys: KeysService }) =>
  new Elysia()
    .get('/api/keys', async ({ request }) => ({ keys: await keys.list(gate.principal(request).accountId) }), {
      response: responses({ 200: ApiKeyList }),
      detail: {
        operationId: 'listKeys',
        summary: 'The account’s API keys, metadata only',
        description: 'A full key is shown once, when it is created.',
        tags: ['Keys'],
      },
    })
    .post(
      '/api/keys',
      async ({ request, body, status }) => {
        const { accountId, app } = gate.principal(request);
        return status(201, await keys.create(accountId, body.name, app));
      },
      {
        ...jsonInput(NewApiKey),
        response: responses({ 201: CreatedApiKey }, 400, 403),
        detail: {
          operationId: 'createKey',
          summary: 'Create an API key; it is shown this once',
          description:
            'It gives full access to the endpoints and events of the account. There are at most 10. A key that a connected app creates belongs to the app: it may do what the app may, and ends with it.',
          tags: ['Keys'],
        },
      },
    )
    .delete(
      '/api/keys/:id',
      async ({ request, params }) => {
        await keys.revoke(gate.principal(request).accountId, params.id);
        return { ok: true };
      },
      {
        params: IdParams,
        response: responses({ 200: Ok }, 404),
        detail: {
          operationId: 'revokeKey',
          summary: 'Revoke an API key at once',
          description: 'The next request with it is refused.',
          tags: ['Keys'],
        },
      },
    );
