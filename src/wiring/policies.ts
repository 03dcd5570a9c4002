/*
 * What the capture path does for endpoints besides storing: their rules and guards, prepared. Endpoints without either have no policy,
 * and cost nothing.
 */
import type { AnswerRule } from '../core/answers/model.ts';
import { type ActiveRules, type EndpointPolicy, readRules } from '../core/answers/rules.ts';
import { type AnswersStore, createAnswersStore, type RulesRow } from '../features/answers/store.ts';
import type { RegisteredEndpoint } from '../features/endpoints/registry.ts';
import type { Infrastructure } from './infrastructure.ts';

export function createPolicies({ direct, log }: Pick<Infrastructure, 'direct' | 'log'>) {
  const store: AnswersStore = createAnswersStore(direct.db);
  /** By version: other processes load all rules every second. */
  let prepared = new Map<number, ActiveRules>();

  const prepare = ({ version, endpoint, rules }: RulesRow): ActiveRules | undefined => {
    const known = prepared.get(version);
    if (known) return known;
    try {
      return { version, rules: readRules({ rules: JSON.parse(rules.toString('utf8')) as AnswerRule[] }).active };
    } catch (cause) {
      // Only a newer version could have written them.
      log.error('the answers of an endpoint cannot be read; its senders get the usual answer', { endpoint, cause });
      return undefined;
    }
  };
  const policyOf = (rules: RulesRow | undefined): EndpointPolicy | undefined => {
    const active = rules && prepare(rules);
    if (active) prepared.set(active.version, active);
    return active && { rules: active };
  };
  const withPolicy = (endpoint: RegisteredEndpoint, policy: EndpointPolicy | undefined): RegisteredEndpoint =>
    policy ? { ...endpoint, policy } : endpoint;

  return {
    async addTo(endpoints: RegisteredEndpoint[]): Promise<RegisteredEndpoint[]> {
      const rows = await store.all();
      const before = prepared;
      prepared = new Map();
      const policies = new Map<number, EndpointPolicy>();
      for (const row of rows) {
        const known = before.get(row.version);
        if (known) prepared.set(row.version, known);
        const policy = policyOf(row);
        if (policy) policies.set(row.endpoint, policy);
      }
      return policies.size === 0 ? endpoints : endpoints.map(one => withPolicy(one, policies.get(one.seq)));
    },
    addToOne: async (endpoint: RegisteredEndpoint): Promise<RegisteredEndpoint> =>
      withPolicy(endpoint, policyOf(await store.ofEndpoint(endpoint.seq))),
  };
}
