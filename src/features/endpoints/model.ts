/* Endpoints on the wire (api-contract "Endpoint"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { Name, nullable, Timestamp } from '../../http/schemas.ts';

export const Endpoint = t.Object(
  {
    id: t.String(),
    name: t.String(),
    createdAt: Timestamp,
    url: t.String({ description: 'address to register as the webhook destination on the sending platform' }),
    eventCount: t.Integer(),
    lastReceivedAt: nullable(Timestamp),
  },
  { title: 'Endpoint' },
);
export type Endpoint = Static<typeof Endpoint>;

export const EndpointList = t.Object({ endpoints: t.Array(Endpoint) }, { title: 'EndpointList' });
export const EndpointName = t.Object({ name: Name }, { title: 'EndpointName' });
export const Renamed = t.Object({ ok: t.Boolean(), name: t.String() }, { title: 'Renamed' });
