/* Endpoints on the wire (api-contract "Endpoint"). */
import { Type as t } from '@sinclair/typebox';
import { Endpoint, Name } from '../../http/schemas.ts';

export { Endpoint };

export const EndpointList = t.Object({ endpoints: t.Array(Endpoint) }, { title: 'EndpointList' });
export const EndpointName = t.Object({ name: Name }, { title: 'EndpointName' });
export const Renamed = t.Object({ ok: t.Boolean(), name: t.String() }, { title: 'Renamed' });
