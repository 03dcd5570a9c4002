/* The account of a person, with the plan of its team. */
import { type Static, Type as t } from '@sinclair/typebox';
import { plans, roles } from '../../core/access/principal.ts';
import { literals } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';

export const Plan = literals(plans);
export const Role = literals(roles);

export const Account = t.Object(
  { id: t.String(), email: t.String(), plan: Plan, createdAt: Timestamp },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;
