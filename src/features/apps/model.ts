/* Schemas of connected apps. */
import { type Static, Type as t } from '@sinclair/typebox';
import { nullable } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';

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
  },
  { title: 'ConnectedApp' },
);
export type ConnectedApp = Static<typeof ConnectedApp>;

export const ConnectedAppList = t.Object({ apps: t.Array(ConnectedApp) }, { title: 'ConnectedAppList' });
