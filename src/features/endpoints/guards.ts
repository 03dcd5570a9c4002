/*
 * The guards of endpoints between the API, the database and ingest. Password and token are sealed together, beside the rest; a
 * guard whose secrets cannot be decrypted refuses every credential.
 */

import type { EndpointGuard } from '../../core/answers/model.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { invalidInput } from '../../core/errors.ts';
import { endpointGuard } from '../../core/guard/check.ts';
import type { Guard, StoredGuard } from '../../core/guard/model.ts';
import { checkGuard } from '../../core/guard/settings.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import { shownSecret } from '../../shared/guard.ts';

/** The columns in the table of endpoints. */
export type GuardColumns = { guard: StoredGuard | null; guardSecrets: Buffer | null };
type GuardRow = GuardColumns & { id: string };

export type Guards = ReturnType<typeof createGuards>;

export function createGuards({
  sealer,
  onUnreadable,
}: {
  sealer: Sealer;
  /** Called with the id of an endpoint whose password or token cannot be decrypted. */
  onUnreadable: (endpointId: string) => void;
}) {
  const changes = createSemaphore(1);

  const secretsOf = ({ id, guardSecrets }: GuardRow): Partial<Record<'password' | 'token', string>> => {
    if (guardSecrets === null) return {};
    const text = sealer.open(guardSecrets, sealPurpose.guard(id));
    if (text !== undefined) return JSON.parse(text) as Partial<Record<'password' | 'token', string>>;
    onUnreadable(id);
    return {};
  };

  /** The guard with its secrets, which are empty if they cannot be decrypted. */
  const open = (row: GuardRow): Guard | null => {
    if (row.guard === null) return null;
    const { basic, token, ...rest } = row.guard;
    const { password = '', token: value = '' } = secretsOf(row);
    return { ...rest, ...(basic && { basic: { ...basic, password } }), ...(token && { token: { ...token, value } }) };
  };

  /** The columns of a guard. */
  const seal = (id: string, guard: Guard | null): GuardColumns => {
    if (guard === null) return { guard: null, guardSecrets: null };
    const { basic, token, ...rest } = guard;
    const stored = {
      ...rest,
      ...(basic && { basic: { user: basic.user } }),
      ...(token && { token: { in: token.in, name: token.name } }),
    };
    if (!basic && !token) return { guard: stored, guardSecrets: null };
    const secrets = { ...(basic && { password: basic.password }), ...(token && { token: token.value }) };
    return { guard: stored, guardSecrets: Buffer.from(sealer.seal(JSON.stringify(secrets), sealPurpose.guard(id))) };
  };

  return {
    open,
    seal,

    /** The guard as ingest uses it; undefined without one. */
    endpointGuard: (row: GuardRow): EndpointGuard | undefined => {
      const guard = open(row);
      return guard ? endpointGuard(guard) : undefined;
    },

    /** The guard as the API shows it. */
    shown: ({ guard }: Pick<GuardColumns, 'guard'>): Guard | null => {
      if (guard === null) return null;
      const { basic, token, ...rest } = guard;
      return {
        ...rest,
        ...(basic && { basic: { ...basic, password: shownSecret } }),
        ...(token && { token: { ...token, value: shownSecret } }),
      };
    },

    /** @throws invalid, naming the field */
    read(given: Guard | null, stored: GuardRow): Guard | null {
      if (given === null) return null;
      const result = checkGuard(given, open(stored));
      if ('guard' in result) return result.guard;
      throw invalidInput(
        'body',
        result.problems.map(problem => ({ ...problem, path: ['guard', ...problem.path] })),
      );
    },

    /** Runs changes of one endpoint's guard one after the other: a change that keeps a secret must keep the latest one. */
    change: <T>(endpointId: string, work: () => Promise<T>): Promise<T> => changes.run(endpointId, work),
  };
}
