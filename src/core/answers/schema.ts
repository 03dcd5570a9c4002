/* The form of a rule for custom answers in requests, responses and files of endpoints. rules.ts checks what no schema can say. */
import { type Static, Type as t } from '@sinclair/typebox';
import {
  answerEncodings,
  faults,
  maxBodyBytes,
  maxCount,
  maxDelayMs,
  maxHeaders,
  maxRateEvents,
  maxRateSeconds,
  maxRules,
  maxStatus,
  minStatus,
  ruleScopes,
} from '../../shared/answers.ts';
import { HeaderPairs, literals } from '../schemas.ts';

const closed = { additionalProperties: false };
const count = (maximum: number, options: { description?: string } = {}) =>
  t.Integer({ minimum: 1, maximum, ...options });

const RuleAnswer = t.Object(
  {
    status: t.Optional(
      t.Integer({
        minimum: minStatus,
        maximum: maxStatus,
        description: `${minStatus} to ${maxStatus}; default 200, with \`rate\` 429`,
      }),
    ),
    headers: t.Optional(HeaderPairs({ maxItems: maxHeaders })),
    body: t.Optional(
      t.String({
        description: `at most ${maxBodyBytes / 1024} KiB; placeholders are {{id}}, {{now}}, {{receivedAt}}, {{type}}, {{platform}}, {{verdict}}, {{header.X}}, {{query.X}}, {{body.a.b}}, {{json body.a.b}}, {{raw}} and {{truncate 200 raw}}`,
      }),
    ),
    bodyEncoding: t.Optional(literals(answerEncodings)),
    delayMs: t.Optional(
      t.Integer({ minimum: 0, maximum: maxDelayMs, description: `at most ${maxDelayMs}`, format: 'int64' }),
    ),
    fault: t.Optional(
      literals(faults, {
        description:
          'instead of an answer: the connection is closed, reset (TCP RST), or gets the head and then nothing for a minute',
      }),
    ),
  },
  { title: 'RuleAnswer', ...closed },
);

/** A rule as people write it. All conditions hold, and the first rule whose conditions hold answers. */
export const AnswerRule = t.Object(
  {
    name: t.Optional(t.String({ description: 'unique; default `rule-N`, counted from 1' })),
    when: t.Optional(t.String({ description: 'a filter: only events that match it' })),
    per: t.Optional(
      literals(ruleScopes, {
        description: 'count the attempts of each delivery separately, or all events of the endpoint together (default)',
      }),
    ),
    first: t.Optional(count(maxCount, { description: 'only the first N' })),
    every: t.Optional(count(maxCount, { description: 'only every Nth: for 3, the 3rd, 6th, …' })),
    chance: t.Optional(t.Number({ minimum: 0, maximum: 1, description: 'with this probability, from 0 to 1' })),
    rate: t.Optional(
      t.Object(
        { max: count(maxRateEvents), perS: count(maxRateSeconds) },
        { description: 'only events beyond `max` in any `perS` seconds', ...closed },
      ),
    ),
    handshake: t.Optional(t.Boolean({ description: 'also before the handshakes of platforms' })),
    answer: RuleAnswer,
  },
  { title: 'AnswerRule', ...closed },
);

export type AnswerRule = Static<typeof AnswerRule>;

export const AnswerRules = t.Object(
  {
    rules: t.Array(AnswerRule, {
      maxItems: maxRules,
      description: `the first one whose conditions all hold answers; at most ${maxRules}; empty: every sender gets the default answer`,
    }),
  },
  { title: 'AnswerRules', ...closed },
);
export type AnswerRules = Static<typeof AnswerRules>;
