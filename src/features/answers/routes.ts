/* /api/endpoints/{id}/answers: the rules for custom answers */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, FilterErrorBody, IdParams, Ok, responses } from '../../http/schemas.ts';
import { AnswerPreview, AnswerPreviewRequest, AnswerRules, AnswerRulesRequest } from './model.ts';
import type { AnswersService } from './service.ts';

export const answersRoutes = ({ gate, answers }: { gate: Gate; answers: AnswersService }) =>
  routesOf(gate, '/api/endpoints', 'Answers')
    .get('/:id/answers', ({ principal, params }) => answers.rules(principal, params.id), {
      params: IdParams,
      response: responses({ 200: AnswerRules }, 404),
      ...operation({
        operationId: 'getAnswers',
        permission: 'answers',
        summary: 'Get the rules for custom answers',
        description: 'The rules in their order, with default names and statuses filled in.',
      }),
    })
    .put('/:id/answers', ({ principal, params, body }) => answers.replace(principal, params.id, body), {
      ...jsonInput(AnswerRulesRequest),
      params: IdParams,
      response: responses({ 200: AnswerRules, 400: FilterErrorBody }, 404),
      ...operation({
        operationId: 'setAnswers',
        compressed: true,
        permission: 'answers',
        audit: 'endpoint.answers_changed',
        summary: 'Set the rules for custom answers',
        description:
          'Replaces all rules and restarts their sequences. The event is always stored before its sender is answered. Deliveries that no rule answers get the default answer.',
      }),
    })
    .delete('/:id/answers', ({ principal, params }) => done(answers.remove(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 404),
      ...operation({
        operationId: 'removeAnswers',
        permission: 'answers',
        audit: 'endpoint.answers_reset',
        summary: 'Answer as usual again',
        description: 'Removes all rules and their sequences.',
      }),
    })
    .post(
      '/:id/answers/preview',
      ({ principal, params, body, request }) => answers.preview(principal, params.id, body, request.signal),
      {
        ...jsonInput(AnswerPreviewRequest),
        params: IdParams,
        response: responses({ 200: AnswerPreview, 400: FilterErrorBody }, 404),
        ...operation({
          operationId: 'previewAnswers',
          compressed: true,
          permission: 'answers',
          reads: true,
          summary: 'Try rules on the newest events',
          description:
            'For each of the newest `limit` events: the rule that would have answered it. Sequences begin with the oldest of them. It changes nothing.',
        }),
      },
    );
