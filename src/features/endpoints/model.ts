/* Schemas of endpoints. */
import { type Static, Type as t } from '@sinclair/typebox';
import { Name, nullable, OwnUrl, Timestamp } from '../../http/schemas.ts';

export const Endpoint = t.Object(
  {
    id: t.String(),
    name: t.String(),
    createdAt: Timestamp,
    url: OwnUrl('address to register as the webhook destination on the sending platform'),
    eventCount: t.Integer(),
    lastReceivedAt: nullable(Timestamp),
    retention: nullable(
      t.String({ description: 'how long its events are kept, as written; null: as long as the plan says' }),
    ),
  },
  { title: 'Endpoint' },
);
export type Endpoint = Static<typeof Endpoint>;

export const EndpointList = t.Object({ endpoints: t.Array(Endpoint) }, { title: 'EndpointList' });
export const EndpointName = t.Object({ name: Name }, { title: 'EndpointName' });

const changes = {
  name: t.Optional(Name),
  learnSecretsFor: t.Optional(
    nullable(
      t.String({
        description:
          'a duration such as 10m, at most 24h, in which the next secret that a handshake delivers is confirmed at once; 0s or null ends it',
      }),
    ),
  ),
  retention: t.Optional(
    nullable(
      t.String({
        description:
          'a duration such as 90s or 30d, at least 1s and at most what the plan gives; null: as long as the plan says. Events older than that are gone at once, pinned ones excepted',
      }),
    ),
  ),
};
/** At least one field is required. The service checks it, so that the error reads like that of any missing field. */
export const EndpointChange = t.Object(changes, {
  title: 'EndpointChange',
  documentedAs: t.Object(changes, { minProperties: 1 }),
});
export type EndpointChange = Static<typeof EndpointChange>;

export const EndpointChanged = t.Object(
  {
    ok: t.Boolean(),
    name: t.String(),
    retention: t.Optional(nullable(t.String({ description: 'present when it was given' }))),
    learnSecretsUntil: t.Optional(
      nullable(
        t.Integer({ description: 'epoch ms; present when learnSecretsFor was given, null when no window is open' }),
      ),
    ),
  },
  { title: 'EndpointChanged' },
);
export type EndpointChanged = Static<typeof EndpointChanged>;

export const EndpointRemoval = t.Object({
  pinned: t.Optional(
    t.Union([t.Literal('true'), t.Literal('false')], {
      default: 'false',
      description: 'true: also when the endpoint has pinned events, which go with it',
    }),
  ),
});
export type EndpointRemoval = Static<typeof EndpointRemoval>;

export const activityBuckets = 24;

export const Activity = t.Object(
  {
    since: Timestamp,
    bucketMs: t.Integer(),
    counts: t.Array(t.Integer(), { minItems: activityBuckets, maxItems: activityBuckets, description: 'oldest first' }),
  },
  { title: 'Activity' },
);
export type Activity = Static<typeof Activity>;
