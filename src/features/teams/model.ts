/* Schemas of the team and its invitations. */
import { type Static, Type as t } from '@sinclair/typebox';
import { Email, OwnUrl, Password, Timestamp } from '../../http/schemas.ts';
import { Plan, Role } from '../accounts/model.ts';

export const Member = t.Object(
  { id: t.String(), email: t.String(), role: Role, createdAt: Timestamp },
  { title: 'Member' },
);
export type Member = Static<typeof Member>;

export const Team = t.Object(
  {
    members: t.Array(Member),
    plan: Plan,
    limits: t.Object({
      endpoints: t.Integer({ description: '0 means no limit', format: 'int32' }),
      keys: t.Integer({ description: 'of each account', format: 'int32' }),
      retentionMs: t.Integer({ description: 'how long events are kept; 0 means for ever' }),
    }),
  },
  { title: 'Team' },
);
export type Team = Static<typeof Team>;

export const InvitationInput = t.Object(
  { email: Email },
  { title: 'InvitationInput', examples: [{ email: 'grace@example.com' }] },
);

const invitationFields = {
  id: t.String(),
  email: t.String(),
  invitedBy: t.String({ description: 'email address of the owner who made the link' }),
  createdAt: { ...Timestamp, description: 'when the link was made, epoch milliseconds' },
  expiresAt: Timestamp,
};
export const Invitation = t.Object(
  { ...invitationFields, url: OwnUrl('give it to the person; works once, and is shown only now') },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

export const PendingInvitation = t.Object(invitationFields, { title: 'PendingInvitation' });
export type PendingInvitation = Static<typeof PendingInvitation>;
export const PendingInvitationList = t.Object(
  { invitations: t.Array(PendingInvitation) },
  { title: 'PendingInvitationList' },
);

export const OpenInvitation = t.Object(
  {
    email: t.String(),
    teamOf: t.String({
      description:
        'email address of the person who invites; the same as `email` for the link with which an account sets its first password',
    }),
  },
  { title: 'OpenInvitation' },
);
export type OpenInvitation = Static<typeof OpenInvitation>;

export const Acceptance = t.Object(
  {
    password: t.Optional({
      ...Password,
      description: `needed unless sign-in with a password is off; ${Password.description}`,
    }),
  },
  { title: 'Acceptance', examples: [{ password: 'a quiet river at noon' }] },
);
export const TokenParams = t.Object({ token: t.String() });
