/* /api/endpoints/{id}/secrets */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import { Secret, SecretChange, SecretInput, SecretList, SecretParams } from './model.ts';
import type { SecretsService } from './service.ts';

export const secretsRoutes = ({ gate, secrets }: { gate: Gate; secrets: SecretsService }) =>
  routesOf(gate, '/api/endpoints/:id/secrets', 'Secrets')
    .get('', ({ principal, params }) => secrets.list(principal, params.id), {
      params: IdParams,
      response: responses({ 200: SecretList }, 404),
      ...operation({
        operationId: 'listSecrets',
        permission: 'secrets',
        summary: 'An endpoint’s signing secrets, without their values',
        description:
          'The last characters tell them apart. `learnSecretsUntil` says until when a secret that a handshake delivers is confirmed at once.',
      }),
    })
    .post(
      '',
      async ({ principal, params, body: { platform = null, secret }, status }) =>
        status(201, await secrets.add(principal, params.id, { platform, secret })),
      {
        ...jsonInput(SecretInput),
        params: IdParams,
        response: responses({ 201: Secret }, 400, 404),
        ...operation({
          operationId: 'addSecret',
          permission: 'secrets',
          audit: 'secret.created',
          summary: 'Register a signing secret',
          description:
            'It also applies to deliveries that are already stored. An endpoint can have several secrets, for rotation: at most 20.',
        }),
      },
    )
    .post('/:secretId/confirm', ({ principal, params }) => secrets.confirm(principal, params.id, params.secretId), {
      params: SecretParams,
      response: responses({ 200: Secret }, 400, 403, 404),
      ...operation({
        operationId: 'confirmSecret',
        permission: 'signing',
        audit: 'secret.confirmed',
        summary: 'Confirm a signing secret that a handshake delivered',
        description:
          'Until then, verdicts that depend on it are `unchecked`, because anybody could have sent it. For a person or an API key, never an app.',
      }),
    })
    .patch(
      '/:secretId',
      ({ principal, params, body }) => secrets.allowSigning(principal, params.id, params.secretId, body),
      {
        ...jsonInput(SecretChange),
        params: SecretParams,
        response: responses({ 200: Secret }, 400, 403, 404),
        ...operation({
          operationId: 'changeSecret',
          permission: 'signing',
          audit: { action: ({ maySign }) => (maySign ? 'secret.signing_allowed' : 'secret.signing_forbidden') },
          summary: 'Allow or forbid the server to sign with a secret',
          description:
            'With `maySign`, replays with `sign` and `secretId` are signed with it, if the event’s verdict is valid with this secret, nothing is edited, and the destination is loopback, allow-listed with HOOKTAPE_REPLAY_ALLOW, or of one of the origins in `destinations`. For a person or an API key, never an app.',
        }),
      },
    )
    .delete('/:secretId', ({ principal, params }) => done(secrets.remove(principal, params.id, params.secretId)), {
      params: SecretParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'deleteSecret',
        permission: 'secrets',
        audit: 'secret.deleted',
        summary: 'Remove a signing secret',
        description: 'Verdicts that depended on it become `unchecked`.',
      }),
    });
