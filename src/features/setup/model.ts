/* Schemas of the first run, which creates the first account. */
import { type Static, Type as t } from '@sinclair/typebox';
import { Email, Password } from '../../http/schemas.ts';
import { Account } from '../accounts/model.ts';
import { Endpoint } from '../endpoints/model.ts';

/** The body of a request that makes an account. */
const passwordDescription = `needed unless sign-in with a password is off; ${Password.description}`;

export const SetupRequest = t.Object(
  {
    token: t.String({
      description: 'from the setup link that the server prints at each start while there is no account',
    }),
    email: Email,
    password: t.Optional({ ...Password, description: passwordDescription }),
  },
  {
    title: 'SetupRequest',
    examples: [
      { token: '4t9v2kq8x7w3m5n6p1r0s2d4f6g8h0j2', email: 'ada@example.com', password: 'a quiet river at noon' },
    ],
  },
);
export const SetupDone = t.Object({ account: Account, endpoint: Endpoint }, { title: 'SetupDone' });
export type SetupDone = Static<typeof SetupDone>;
