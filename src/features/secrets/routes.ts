/* /api/endpoints/{id}/secrets (interface "API beyond the contract"). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { IdParams, Ok, responses } from '../../http/schemas.ts';
import { NewSecret, Secret, SecretList, SecretParams } from './model.ts';
import type { SecretsService } from './service.ts';

const tags = ['Secrets'];

export const secretsRoutes = ({ gate, secrets }: { gate: Gate; secrets: SecretsService }) =>
  new Elysia()
    .get('/api/endpoints/:id/secrets', ({ request, params }) => secrets.list(gate.principal(request), params.id), {
      params: IdParams,
      response: responses({ 200: SecretList }, 404),
      detail: {
        operationId: 'listSecrets',
        summary: 'An endpoint’s signing secrets, without the secrets',
        description:
          'The last characters tell them apart. With them comes until when a learned secret is taken as confirmed.',
        tags,
      },
    })
    .post(
      '/api/endpoints/:id/secrets',
      async ({ request, params, body: { platform = null, secret }, status }) =>
        status(201, await secrets.add(gate.principal(request), params.id, { platform, secret })),
      {
        ...jsonInput(NewSecret),
        params: IdParams,
        response: responses({ 201: Secret }, 400, 404),
        detail: {
          operationId: 'addSecret',
          summary: 'Register a signing secret',
          description:
            'It also applies to deliveries that are already stored. An endpoint may have several secrets, for rotation: at most 20.',
          tags,
        },
      },
    )
    .post(
      '/api/endpoints/:id/secrets/:secretId/confirm',
      ({ request, params }) => secrets.confirm(gate.principal(request), params.id, params.secretId),
      {
        params: SecretParams,
        response: responses({ 200: Secret }, 400, 403, 404),
        detail: {
          operationId: 'confirmSecret',
          summary: 'Confirm a signing secret that a handshake delivered',
          description:
            'Verdicts that rest on it are `unchecked` until then, because anybody could have sent it. For a person or an API key, never an app.',
          tags,
        },
      },
    )
    .delete(
      '/api/endpoints/:id/secrets/:secretId',
      async ({ request, params }) => {
        await secrets.remove(gate.principal(request), params.id, params.secretId);
        return { ok: true };
      },
      {
        params: SecretParams,
        response: responses({ 200: Ok }, 404),
        detail: {
          operationId: 'deleteSecret',
          summary: 'Remove a signing secret',
          description: 'Verdicts that rested on it become `unchecked`.',
          tags,
        },
      },
    );
