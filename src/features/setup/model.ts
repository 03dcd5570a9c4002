/* First run on the wire. */
import { Type as t } from '@sinclair/typebox';
import { Account, Email, Endpoint, Password } from '../../http/schemas.ts';

export const SetupRequest = t.Object(
  {
    token: t.String({ description: 'from the link that the server prints at each start while there is no account' }),
    email: Email,
    password: Password,
  },
  { title: 'SetupRequest' },
);
export const SetupDone = t.Object({ account: Account, endpoint: Endpoint }, { title: 'SetupDone' });
