/* Schemas of custom answers: the rules of an endpoint, and their preview. */

import { type Static, Type as t } from '@sinclair/typebox';
import { type AnswerRule, AnswerRules } from '../../core/answers/schema.ts';
import { nullable } from '../../core/schemas.ts';
import { HttpStatus } from '../../http/schemas.ts';
import { EventSummary } from '../events/model.ts';

export type { AnswerRule };
export { AnswerRules };

const exampleRule = {
  name: 'retry twice',
  when: 'type:order.*',
  per: 'delivery',
  first: 2,
  answer: { status: 500, headers: [['Retry-After', '30']], body: 'try again' },
};

export const AnswerRulesRequest = t.Object(AnswerRules.properties, {
  title: 'AnswerRulesRequest',
  examples: [{ rules: [exampleRule] }],
});

export const maxPreviewed = 25;

export const AnswerPreviewRequest = t.Object(
  {
    ...AnswerRules.properties,
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: maxPreviewed, default: 10, description: 'how many events, the newest ones' }),
    ),
  },
  { title: 'AnswerPreviewRequest', examples: [{ rules: [exampleRule], limit: 10 }] },
);
export type AnswerPreviewRequest = Static<typeof AnswerPreviewRequest>;

export const AnswerPreview = t.Object(
  {
    events: t.Array(
      t.Object({
        event: EventSummary,
        rule: nullable(t.String({ description: 'the rule that would have answered; null for the default answer' })),
        status: nullable(HttpStatus('null with a fault')),
      }),
      { description: 'newest first' },
    ),
  },
  { title: 'AnswerPreview' },
);
export type AnswerPreview = Static<typeof AnswerPreview>;
