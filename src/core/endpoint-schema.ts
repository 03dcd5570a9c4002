/* The form of an endpoint's settings in requests and files of endpoints. The readers of durations check what no schema can say. */
import { Type as t } from '@sinclair/typebox';
import { GivenGuard } from './guard/schema.ts';
import { Name, nullable } from './schemas.ts';

export const endpointSettings = {
  name: Name,
  paused: t.Boolean({ description: 'true: answer deliveries with 503 and store nothing; false: accept them again' }),
  guard: nullable(GivenGuard, {
    description: 'the conditions under which the endpoint accepts a delivery; null: none',
  }),
  learnSecretsFor: nullable(
    t.String({
      problem: 'must be a duration such as 10m, at most 24h, or null',
      description:
        'a duration such as 10m, at most 24h, in which the next secret that a handshake delivers is confirmed at once; 0s or null ends it',
    }),
  ),
  retention: nullable(
    t.String({
      problem: 'must be a duration such as 30d, or null',
      description:
        'a duration such as 90s or 30d, at least 1s and at most what the plan gives; null: as long as the plan says. Older events are removed at once, except pinned ones',
    }),
  ),
};
