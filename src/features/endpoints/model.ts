/* Schemas of endpoints. */
import { type Static, Type as t } from '@sinclair/typebox';
import { endpointSettings } from '../../core/endpoint-schema.ts';
import { ShownGuard } from '../../core/guard/schema.ts';
import { Name, nullable } from '../../core/schemas.ts';
import { OwnUrl, Timestamp } from '../../http/schemas.ts';
import { activityBuckets } from '../../shared/endpoints.ts';

export const PreviousUrl = t.Object(
  {
    id: t.String(),
    url: OwnUrl('the replaced URL'),
    until: { ...Timestamp, description: 'until when it takes deliveries, epoch milliseconds; then it answers 404' },
  },
  { title: 'PreviousUrl' },
);

export const Endpoint = t.Object(
  {
    id: t.String(),
    name: t.String(),
    createdAt: Timestamp,
    url: OwnUrl('the URL to register as the webhook destination on the sending platform'),
    path: t.String({
      description: 'the path of `url`, for senders that reach the server under another origin, such as a mapped port',
    }),
    eventCount: t.Integer(),
    lastReceivedAt: nullable(Timestamp),
    retention: nullable(
      t.String({ description: 'how long its events are kept, as written; null: as long as the plan says' }),
    ),
    previousUrls: t.Array(PreviousUrl, { description: 'replaced URLs that still take deliveries, newest first' }),
    paused: t.Boolean({ description: 'a paused endpoint answers deliveries with 503 and does not store them' }),
    pausedAt: nullable(Timestamp),
    refusedWhilePaused: nullable(
      t.Integer({
        description:
          'deliveries that this process has refused since the pause or its own start; null when the endpoint is not paused',
      }),
    ),
    customAnswers: t.Boolean({ description: 'whether it has rules for answers; without, senders get the usual one' }),
    guard: nullable(ShownGuard),
    alerts: nullable(
      t.Object(
        {
          enabled: t.Integer({ description: 'how many are enabled' }),
          firing: t.Integer({ description: 'how many of them have fired and are not resolved' }),
        },
        { description: 'its alerts; null for apps, which may not see them' },
      ),
    ),
    declared: t.Boolean({ description: 'whether a file declares it (`hooktape apply`), and may set it back' }),
  },
  { title: 'Endpoint' },
);
export type Endpoint = Static<typeof Endpoint>;

export const EndpointList = t.Object({ endpoints: t.Array(Endpoint) }, { title: 'EndpointList' });
export const EndpointName = t.Object({ name: Name }, { title: 'EndpointName', examples: [{ name: 'Shop' }] });

export const Rotation = t.Object(
  {
    overlap: t.Optional(
      t.String({
        default: '24h',
        description:
          'how long the old URL goes on taking deliveries: a duration such as 24h, at most 30d; 0 for not at all',
      }),
    ),
  },
  { title: 'Rotation', examples: [{ overlap: '24h' }] },
);
export const PreviousUrlParams = t.Object({ id: t.String(), urlId: t.String() });

const { properties: changes } = t.Partial(t.Object(endpointSettings));
/** At least one field is required. The service checks it, so that the error reads like that of any missing field. */
export const EndpointChange = t.Object(changes, {
  title: 'EndpointChange',
  examples: [{ name: 'Shop' }],
  documentedAs: t.Object(changes, { minProperties: 1 }),
});
export type EndpointChange = Static<typeof EndpointChange>;

export const EndpointChanged = t.Object(
  {
    ok: t.Boolean(),
    name: t.String(),
    retention: t.Optional(nullable(t.String({ description: 'present when it was given' }))),
    paused: t.Optional(t.Boolean({ description: 'present when it was given' })),
    guard: t.Optional(nullable(ShownGuard)),
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

export const Activity = t.Object(
  {
    since: Timestamp,
    bucketMs: t.Integer(),
    counts: t.Array(t.Integer(), { minItems: activityBuckets, maxItems: activityBuckets, description: 'oldest first' }),
  },
  { title: 'Activity' },
);
export type Activity = Static<typeof Activity>;
