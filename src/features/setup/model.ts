/* Schemas of the first run, which creates the first account. */
import { type Static, Type as t } from '@sinclair/typebox';
import { Email, Password } from '../../http/schemas.ts';
import { Account } from '../accounts/model.ts';
import { Endpoint } from '../endpoints/model.ts';

export const SetupRequest = t.Object(
  {
    token: t.String({
      description: 'from the setup link that the server prints at each start while there is no account',
    }),
    email: Email,
    password: Password,
  },
  { title: 'SetupRequest' },
);
export const SetupDone = t.Object({ account: Account, endpoint: Endpoint }, { title: 'SetupDone' });
export type SetupDone = Static<typeof SetupDone>;
