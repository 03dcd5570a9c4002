/* Schemas of the overview and the statistics of a team. */
import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable } from '../../core/schemas.ts';
import { PageSize, Timestamp } from '../../http/schemas.ts';
import { activityBuckets } from '../../shared/endpoints.ts';
import { maxNameCharacters } from '../../shared/limits.ts';

const troubleKinds = ['forward_down', 'forward_given_up', 'alert_firing', 'invalid_signatures', 'paused'] as const;

export const Trouble = t.Object(
  {
    kind: literals(troubleKinds, {
      description:
        'forward_down: its destination fails and gets one event a minute; forward_given_up: it has events that it does not try again; invalid_signatures: in the last 24 hours; paused: the endpoint refuses deliveries',
    }),
    text: t.String({ description: 'names the forward or alert' }),
    link: t.String({ description: 'the path of a page of the dashboard' }),
    since: Timestamp,
  },
  { title: 'Trouble' },
);
export type Trouble = Static<typeof Trouble>;

export const OverviewEndpoint = t.Object(
  {
    id: t.String(),
    name: t.String(),
    eventCount: t.Integer(),
    lastReceivedAt: nullable(Timestamp),
    activity: t.Array(t.Integer(), {
      minItems: activityBuckets,
      maxItems: activityBuckets,
      description: 'stored events in each of 24 clock hours (UTC), the current one last',
    }),
    troubles: t.Array(Trouble, { description: 'latest first' }),
  },
  { title: 'OverviewEndpoint' },
);
export type OverviewEndpoint = Static<typeof OverviewEndpoint>;

export const Overview = t.Object(
  {
    endpoints: t.Array(OverviewEndpoint),
    nextCursor: nullable(t.String()),
    total: t.Integer({ description: 'endpoints that match `q`; without it, all of the team' }),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;

export const defaultOverviewLimit = 50;

export const OverviewQuery = t.Object({
  q: t.Optional(t.String({ maxLength: maxNameCharacters, description: 'a part of the name, in any case, or an id' })),
  limit: PageSize(defaultOverviewLimit),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous page' })),
});
export type OverviewQuery = Static<typeof OverviewQuery>;

const Count = (description: string) => t.Integer({ minimum: 0, description });

export const Stats = t.Object(
  {
    version: t.String({ description: 'of the server' }),
    endpoints: Count('endpoints of the team'),
    events: Count('stored events'),
    events24h: Count('stored events of the last 24 hours'),
    failed24h: Count('events of the last 24 hours that were refused, or answered with anything but 2xx'),
    forwardsDown: Count('forwards whose destination fails'),
    alertsFiring: Count('alerts that are firing'),
  },
  { title: 'Stats' },
);
export type Stats = Static<typeof Stats>;
