/*
 * The rules and guards of endpoints, prepared for the capture path. Endpoints without either have no policy and cost
 * nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnswerRule, EndpointGuard } from '../core/answers/model.ts';
import { type ActiveRules, readRules } from '../core/answers/rules.ts';
import type { Drizzle } from '../db/database.ts';
import { type AnswersStore, createAnswersStore, type RulesRow } from '../features/answers/store.ts';
import type { GuardColumns } from '../features/endpoints/guards.ts';
import type { RegisteredEndpoint } from '../features/endpoints/registry.ts';
import type { Logger } from '../log.ts';

type GuardOf = (guarded: { id: string } & GuardColumns) => EndpointGuard | undefined;

export function createPolicies(db: Drizzle, log: Pick<Logger, 'error'>, guardOf: GuardOf) {
  const store: AnswersStore = createAnswersStore(db);
  /** By version: other processes load all rules every second. */
  let prepared = new Map<number, ActiveRules>();

  const prepare = ({ version, endpoint, rules }: RulesRow): ActiveRules | undefined => {
    const known = prepared.get(version);
    if (known) return known;
    try {
      return { version, rules: readRules({ rules: JSON.parse(rules.toString('utf8')) as AnswerRule[] }, true).active };
    } catch (cause) {
      // A newer version wrote them, or this one refuses what an older one took.
      log.error('the answers of an endpoint cannot be read; its senders get the default answer', { endpoint, cause });
      return undefined;
    }
  };
  const rulesOf = (rules: RulesRow | undefined): ActiveRules | undefined => {
    const active = rules && prepare(rules);
    if (active) prepared.set(active.version, active);
    return active;
  };
  /** By endpoint, as long as nothing changes: opening its secrets takes time. */
  const guards = new Map<string, { columns: GuardColumns; guard: EndpointGuard | undefined }>();
  const guardOfEndpoint = ({ id, guarded }: RegisteredEndpoint): EndpointGuard | undefined => {
    if (!guarded) {
      guards.delete(id);
      return undefined;
    }
    const known = guards.get(id);
    if (known && isDeepStrictEqual(known.columns, guarded)) return known.guard;
    const guard = guardOf({ id, ...guarded });
    guards.set(id, { columns: guarded, guard });
    return guard;
  };
  const withPolicy = (endpoint: RegisteredEndpoint, rules: ActiveRules | undefined): RegisteredEndpoint => {
    const guard = guardOfEndpoint(endpoint);
    return rules || guard ? { ...endpoint, policy: { rules, guard } } : endpoint;
  };

  return {
    async addTo(endpoints: RegisteredEndpoint[]): Promise<RegisteredEndpoint[]> {
      const rows = await store.all();
      const before = prepared;
      prepared = new Map();
      const active = new Map<number, ActiveRules>();
      for (const row of rows) {
        const known = before.get(row.version);
        if (known) prepared.set(row.version, known);
        const rules = rulesOf(row);
        if (rules) active.set(row.endpoint, rules);
      }
      return endpoints.map(one => withPolicy(one, active.get(one.seq)));
    },
    addToOne: async (endpoint: RegisteredEndpoint): Promise<RegisteredEndpoint> =>
      withPolicy(endpoint, rulesOf(await store.ofEndpoint(endpoint.seq))),
  };
}
