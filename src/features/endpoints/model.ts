/* Endpoints on the wire (api-contract "Endpoint"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { Endpoint, Name, nullable, Timestamp } from '../../http/schemas.ts';

export { Endpoint };

export const EndpointList = t.Object({ endpoints: t.Array(Endpoint) }, { title: 'EndpointList' });
export const EndpointName = t.Object({ name: Name }, { title: 'EndpointName' });

const changes = {
  name: t.Optional(Name),
  learnSecretsFor: t.Optional(
    nullable(
      t.String({
        description:
          'a duration such as 10m, at most 24h, in which the next secret that a handshake delivers is taken as confirmed; 0s or null ends it',
      }),
    ),
  ),
};
/** At least one of them: the service checks it, to answer in the words of any missing field. */
export const EndpointChange = t.Object(changes, {
  title: 'EndpointChange',
  described: t.Object(changes, { minProperties: 1 }),
});
export type EndpointChange = Static<typeof EndpointChange>;

export const EndpointChanged = t.Object(
  {
    ok: t.Boolean(),
    name: t.String(),
    learnSecretsUntil: t.Optional(
      nullable(
        t.Integer({ description: 'epoch ms; there when learnSecretsFor was given, null when no window is open' }),
      ),
    ),
  },
  { title: 'EndpointChanged' },
);
export type EndpointChanged = Static<typeof EndpointChanged>;

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
