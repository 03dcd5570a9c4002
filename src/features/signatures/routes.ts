/* POST /api/events/{id}/signature/check */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { SignatureCheckRequest, SignatureExplanation } from './model.ts';
import type { SignaturesService } from './service.ts';

export const signaturesRoutes = ({ gate, signatures }: { gate: Gate; signatures: SignaturesService }) =>
  routesOf(gate, '/api/events', 'Events').post(
    '/:id/signature/check',
    ({ principal, params, body, request }) => signatures.check(principal, params.id, body, request.signal),
    {
      ...jsonInput(SignatureCheckRequest),
      params: IdParams,
      response: responses({ 200: SignatureExplanation }, 400, 403, 404),
      ...operation({
        operationId: 'checkSignature',
        permission: 'signatures',
        reads: true,
        summary: 'Explain the signature of an event',
        description:
          'Says what was signed, what was received and how old the signature was, and checks it with the secret in the request, which is neither stored nor returned. What a secret gives (`expected`) is only computed with that secret: without one, the verdict is that of the event, and `expected` is null. Changes nothing. For a person or an API key, never an app.',
      }),
    },
  );
