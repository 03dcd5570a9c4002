/* The statements that apply a file, made from the differences. */

import type { Plan } from '../../core/access/principal.ts';
import { newId, newIngestToken, type RandomBytes } from '../../core/ids/ids.ts';
import type { Declaration } from './document.ts';
import type { Current, Difference } from './plan.ts';
import type { Writes } from './store.ts';

/** How long the former URL of an endpoint with a new address takes deliveries. */
const overlapMs = 24 * 60 * 60 * 1000;

export type Matched = { declared: Declaration; current: Current; isNew: boolean; plan: Plan };

export function writesOf(
  compared: readonly (Matched & { difference: Difference; token: string })[],
  { random, now }: { random: RandomBytes; now: number },
): Pick<Writes, 'create' | 'update' | 'claim'> {
  const claim = compared.flatMap(({ declared: { address }, current: { row }, isNew }) =>
    address !== undefined && (isNew || row.token !== address) ? [{ address, replacement: newIngestToken(random) }] : [],
  );
  const create = compared
    .filter(({ isNew }) => isNew)
    .map(({ current: { row }, difference }) => {
      const { seq: _, ...columns } = row;
      const { set, addSecrets: secrets, answers, redaction, forwards } = difference;
      return { row: { ...columns, ...set }, secrets, answers, redaction, forwards };
    });
  const update = compared
    .filter(({ isNew }) => !isNew)
    .map(({ current: { row }, difference, token }) => ({
      id: row.id,
      seq: row.seq,
      ...difference,
      token: token === row.token ? undefined : { urlId: newId('url', now, random), to: token, until: now + overlapMs },
    }))
    .filter(one => one.token || Object.keys(one.set).length > 0 || one.fields.length > 0);
  return { create, update, claim };
}

/** The ids of forwards that are new, changed or removed. */
export const forwardsOf = (compared: readonly { difference: Difference }[]): string[] =>
  compared.flatMap(({ difference: { forwards } }) => [
    ...[...forwards.add, ...forwards.set].map(({ id }) => id),
    ...forwards.remove,
  ]);
