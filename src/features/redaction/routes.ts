/* /api/endpoints/{id}/redaction: what is taken out of the events of an endpoint before they are stored */
import type { Principal } from '../../core/access/principal.ts';
import { GivenRedaction, ShownRedaction } from '../../core/redaction/schema.ts';
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, FilterErrorBody, IdParams, Ok, responses } from '../../http/schemas.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import { RedactionApplied, RedactionApplyRequest, RedactionPreview, RedactionPreviewRequest } from './model.ts';
import type { PreviewRedaction } from './preview.ts';
import type { RedactionService } from './service.ts';

const permission = 'redaction';
const audit = { action: 'redaction.changed', type: 'endpoint' } as const;

type Options = {
  gate: Gate;
  redaction: RedactionService;
  previewRedaction: PreviewRedaction;
  endpoints: Pick<EndpointsService, 'owned'>;
  applyRedaction: (
    given: { teamId: string; endpoint: { seq: number; id: string; token: string }; where: string },
    options: { dryRun: boolean; by: Principal },
  ) => Promise<RedactionApplied>;
};

export const redactionRoutes = ({ gate, redaction, previewRedaction, endpoints, applyRedaction }: Options) =>
  routesOf(gate, '/api/endpoints', 'Redaction')
    .get('/:id/redaction', ({ principal, params }) => redaction.redaction(principal, params.id), {
      params: IdParams,
      response: responses({ 200: ShownRedaction }, 404),
      ...operation({
        operationId: 'getRedaction',
        permission,
        summary: 'Get the redaction rules',
        description: 'The rules in their order; an empty list without any. Not for connected apps.',
      }),
    })
    .put('/:id/redaction', ({ principal, params, body }) => redaction.replace(principal, params.id, body), {
      ...jsonInput(GivenRedaction),
      params: IdParams,
      response: responses({ 200: ShownRedaction }, 400, 404),
      ...operation({
        operationId: 'setRedaction',
        permission,
        audit,
        summary: 'Set the redaction rules',
        description:
          'Replaces all rules. They hold for every delivery that is acknowledged after the response, refused ones, test events and imports included: signatures are verified first, and what a rule takes out never reaches a disk. Other servers on one libSQL server follow within 5 seconds. Stored events stay as they are. Not for connected apps.',
      }),
    })
    .delete('/:id/redaction', ({ principal, params }) => done(redaction.remove(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'removeRedaction',
        permission,
        audit,
        summary: 'Remove the redaction rules',
        description:
          'Later deliveries are stored as they come. What was taken out of earlier ones does not come back. Not for connected apps.',
      }),
    })
    .post(
      '/:id/redaction/preview',
      ({ principal, params, body, request }) => previewRedaction(principal, params.id, body, request.signal),
      {
        ...jsonInput(RedactionPreviewRequest, { nullIsAbsent: true }),
        params: IdParams,
        response: responses({ 200: RedactionPreview, 400: FilterErrorBody }, 404),
        ...operation({
          operationId: 'previewRedaction',
          permission,
          reads: true,
          summary: 'Try redaction rules on the newest events',
          description:
            'For each of the newest `limit` events that match `where`: what the rules would take out of it. It changes nothing. Not for connected apps.',
        }),
      },
    )
    .post(
      '/:id/redaction/apply',
      async ({ principal, params, body: { where, dryRun = false } }) => {
        const endpoint = await endpoints.owned(principal, params.id);
        return applyRedaction({ teamId: principal.teamId, endpoint, where: where.trim() }, { dryRun, by: principal });
      },
      {
        ...jsonInput(RedactionApplyRequest),
        params: IdParams,
        response: responses({ 200: RedactionApplied, 400: FilterErrorBody }, 404, 409),
        ...operation({
          operationId: 'applyRedaction',
          permission,
          // It is written where it is known whether events were changed.
          audit: { action: () => null, type: 'endpoint' },
          summary: 'Apply the redaction rules to stored events',
          description:
            'Takes what the present rules remove out of the stored events that match `where`. Their ids, order, pins and verdicts stay; what was kept of their replays goes. It answers when no file of the data directory has what was taken. Not for connected apps.',
        }),
      },
    );
