/* The account on the wire (api-contract "Account"). */
import { type Static, Type as t } from '@sinclair/typebox';
import { Timestamp } from '../../http/schemas.ts';

export const Plan = t.Union([t.Literal('free'), t.Literal('pro')]);
export type Plan = Static<typeof Plan>;

export const Account = t.Object(
  { id: t.String(), email: t.String(), plan: Plan, createdAt: Timestamp },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;
