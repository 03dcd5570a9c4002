/* Schemas of custom answers: the rules of an endpoint, and their preview. */

import { type Static, Type as t } from '@sinclair/typebox';
import { HttpStatus, literals, nullable } from '../../http/schemas.ts';
import {
  answerEncodings,
  faults,
  maxBodyBytes,
  maxDelayMs,
  maxRules,
  maxStatus,
  minStatus,
  ruleScopes,
} from '../../shared/answers.ts';
import { EventSummary } from '../events/model.ts';

const RuleAnswer = t.Object(
  {
    status: t.Optional(
      t.Integer({ description: `${minStatus} to ${maxStatus}; default 200, with \`rate\` 429`, format: 'int32' }),
    ),
    headers: t.Optional(t.Array(t.Tuple([t.String(), t.String()]))),
    body: t.Optional(
      t.String({
        description: `at most ${maxBodyBytes / 1024} KiB; placeholders are {{id}}, {{now}}, {{header.X}}, {{query.X}} and {{body.a.b}}`,
      }),
    ),
    bodyEncoding: t.Optional(literals(answerEncodings)),
    delayMs: t.Optional(t.Integer({ description: `at most ${maxDelayMs}` })),
    fault: t.Optional(
      literals(faults, {
        description:
          'instead of an answer: the connection is closed, reset (TCP RST), or gets the head and then nothing for a minute',
      }),
    ),
  },
  { title: 'RuleAnswer', additionalProperties: false },
);

const AnswerRule = t.Object(
  {
    name: t.Optional(t.String({ description: 'unique; default `rule-N`, counted from 1' })),
    when: t.Optional(t.String({ description: 'a filter: only events that match it' })),
    per: t.Optional(
      literals(ruleScopes, {
        description: 'count the attempts of each delivery separately, or all events of the endpoint together (default)',
      }),
    ),
    first: t.Optional(t.Integer({ description: 'only the first so many' })),
    every: t.Optional(t.Integer({ description: 'only each so-manieth: for 3, the 3rd, 6th, …' })),
    chance: t.Optional(t.Number({ description: 'with this probability, from 0 to 1' })),
    rate: t.Optional(
      t.Object(
        { max: t.Integer(), perS: t.Integer() },
        { description: 'only events beyond `max` in any `perS` seconds', additionalProperties: false },
      ),
    ),
    handshake: t.Optional(t.Boolean({ description: 'also before the handshakes of platforms' })),
    answer: RuleAnswer,
  },
  { title: 'AnswerRule', additionalProperties: false },
);

export type AnswerRule = Static<typeof AnswerRule>;

export const AnswerRules = t.Object(
  {
    rules: t.Array(AnswerRule, {
      description: `the first one whose conditions all hold answers; at most ${maxRules}; empty: every sender gets the default answer`,
    }),
  },
  { title: 'AnswerRules' },
);
export type AnswerRules = Static<typeof AnswerRules>;

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
