/* Schemas of connected apps. */
import { type Static, Type as t } from '@sinclair/typebox';
import { nullable } from '../../core/schemas.ts';
import { HttpStatus, Timestamp } from '../../http/schemas.ts';

export const AppSubscription = t.Object(
  {
    id: t.String(),
    name: t.String({ description: 'the event type: `webhook.received` or `alert.changed`' }),
    endpointId: nullable(t.String({ description: 'null: all endpoints of the team' })),
    endpointName: nullable(t.String()),
    where: t.String({ description: 'its filter; empty: every event' }),
    origin: t.String({ description: 'the origin of its callback; the rest of the URL is never shown' }),
    waiting: t.Integer({ description: 'how many events wait for the callback' }),
    lastStatus: nullable(HttpStatus('of the last attempt; null without a response')),
    lastDeliveryAt: nullable(Timestamp),
    createdAt: Timestamp,
    refreshBefore: nullable(Timestamp),
  },
  { title: 'AppSubscription' },
);
export type AppSubscription = Static<typeof AppSubscription>;

export const ConnectedApp = t.Object(
  {
    id: t.String(),
    name: t.String(),
    clientId: t.String(),
    createdAt: Timestamp,
    lastUsedAt: nullable(Timestamp),
    issuer: nullable(t.String({ description: 'who issued its tokens; null for this server' })),
    verifiedHost: nullable(
      t.String({ description: 'the host that its client id proves; null when it is not verified' }),
    ),
    redirectHost: nullable(t.String({ description: 'the host of its redirect URI' })),
    scopes: t.Array(t.String()),
    subscriptions: t.Array(AppSubscription, { description: 'where the app wants to be told about events' }),
  },
  { title: 'ConnectedApp' },
);
export type ConnectedApp = Static<typeof ConnectedApp>;

export const ConnectedAppList = t.Object({ apps: t.Array(ConnectedApp) }, { title: 'ConnectedAppList' });

export const SubscriptionParams = t.Object({ id: t.String(), sid: t.String() });
