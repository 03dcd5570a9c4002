/*
 * The redaction rules of endpoints: what is taken out of their events before these are stored. Rules are checked as a whole, and hold for
 * every delivery that is acknowledged after the response.
 */
import type { TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { notFound } from '../../core/errors.ts';
import { noRedaction, type Redaction } from '../../core/redaction/model.ts';
import { type GivenRedaction, readRedaction } from '../../core/redaction/schema.ts';
import type { RedactionRow, RedactionStore } from './store.ts';

export type RedactionService = ReturnType<typeof createRedactionService>;

export function createRedactionService(options: {
  store: RedactionStore;
  clock: Pick<Clock, 'now'>;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number }>;
  /** Applies changed rules to deliveries, and waits until earlier deliveries are stored; undefined: no rules. */
  onChanged: (endpoint: { seq: number; teamId: string }, row: RedactionRow | undefined) => Promise<void>;
}) {
  const { store, clock, endpoint: findEndpoint, onChanged } = options;
  // In memory and in the database, the same change must be the last one.
  const changes = createSemaphore(1);

  return {
    /** @throws not_found */
    async redaction(principal: TeamAccess, id: string): Promise<Redaction> {
      const { seq } = await findEndpoint(principal, id);
      const row = await store.find({ teamId: principal.teamId, endpoint: seq });
      return row ? (JSON.parse(row.redaction.toString('utf8')) as Redaction) : noRedaction;
    },

    /** @returns the rules with defaults filled in @throws invalid, naming the rule and its field; not_found */
    async replace(principal: TeamAccess, id: string, given: GivenRedaction): Promise<Redaction> {
      const redaction = readRedaction(given);
      const { teamId } = principal;
      const { seq } = await findEndpoint(principal, id);
      return changes.run(id, async () => {
        const text = Buffer.from(JSON.stringify(redaction));
        const version = await store.replace({ teamId, endpoint: seq }, text, clock.now());
        if (version === undefined) throw notFound('endpoint');
        await onChanged({ seq, teamId }, { version, endpoint: seq, redaction: text });
        return redaction;
      });
    },

    /** @throws not_found for the endpoint */
    async remove(principal: TeamAccess, id: string): Promise<void> {
      const { teamId } = principal;
      const { seq } = await findEndpoint(principal, id);
      await changes.run(id, async () => {
        await store.remove({ teamId, endpoint: seq });
        await onChanged({ seq, teamId }, undefined);
      });
    },
  };
}
