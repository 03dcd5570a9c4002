/* The form of a guard in requests, responses and files of endpoints. settings.ts checks what no schema can say. */
import { Type as t } from '@sinclair/typebox';
import { guardActions, guardLimits, tokenPlaces } from '../../shared/guard.ts';
import { literals } from '../schemas.ts';

const closed = { additionalProperties: false };
const text = (maxLength: number, options: { description?: string } = {}) =>
  t.String({ minLength: 1, maxLength, ...options });

/** @param description of the password and of the token's value */
const guardFields = (description: string) => ({
  methods: t.Optional(
    t.Array(t.String(), {
      maxItems: guardLimits.methods,
      description: 'the HTTP methods that are accepted; others get 405',
    }),
  ),
  cidrs: t.Optional(
    t.Array(t.String(), {
      maxItems: guardLimits.cidrs,
      description: 'the addresses and networks that may deliver; others get 403',
    }),
  ),
  basic: t.Optional(
    t.Object(
      { user: text(guardLimits.user), password: text(guardLimits.password, { description }) },
      { description: 'of HTTP Basic authentication; deliveries without it get 401', ...closed },
    ),
  ),
  token: t.Optional(
    t.Object(
      {
        in: literals(tokenPlaces),
        name: text(guardLimits.name, { description: 'of the header or the query parameter' }),
        value: text(guardLimits.token, { description }),
      },
      { description: 'deliveries without it get 401', ...closed },
    ),
  ),
  onRefuse: literals(guardActions, { description: 'whether refused deliveries are stored' }),
});

export const ShownGuard = t.Object(guardFields('always `[set]`'), { title: 'Guard' });

export const GivenGuard = t.Object(guardFields('`[set]` keeps the stored one'), { title: 'GuardChange', ...closed });
