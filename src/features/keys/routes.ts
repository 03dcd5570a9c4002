/* /api/keys */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import { ApiKeyInput, ApiKeyList, CreatedApiKey } from './model.ts';
import type { KeysService } from './service.ts';

export const keysRoutes = ({ gate, keys }: { gate: Gate; keys: KeysService }) =>
  routesOf(gate, '/api/keys', 'Keys')
    .get('', async ({ principal }) => ({ keys: await keys.list(principal.accountId) }), {
      response: responses({ 200: ApiKeyList }),
      ...operation({
        operationId: 'listKeys',
        permission: 'keys',
        summary: 'The account’s API keys, metadata only',
        description: 'A full key is shown once, when it is created.',
      }),
    })
    .post(
      '',
      async ({ principal: { accountId, app }, body: { name, ...options }, status }) =>
        status(201, await keys.create(accountId, name, { ...options, createdBy: app })),
      {
        ...jsonInput(ApiKeyInput),
        response: responses({ 201: CreatedApiKey }, 400, 403),
        ...operation({
          operationId: 'createKey',
          permission: 'keys',
          audit: 'key.created',
          summary: 'Create an API key; it is shown only once',
          description:
            'The key gives full access to the endpoints and events of the account, or with `readOnly` only to read them. With `expiresAt` or `expiresIn` it ends by itself. An account can have at most 10 keys. A key that a connected app creates belongs to the app: it has the permissions of the app, and ends with it.',
        }),
      },
    )
    .delete('/:id', ({ principal, params }) => done(keys.revoke(principal.accountId, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'revokeKey',
        permission: 'keys',
        audit: 'key.revoked',
        summary: 'Revoke an API key at once',
        description: 'The next request with it is refused.',
      }),
    });
