/*
 * The rules, guards and redaction of endpoints, prepared for the capture path. Endpoints without any have no policy and cost
 * nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnswerRule, EndpointGuard } from '../core/answers/model.ts';
import { type ActiveRules, readRules } from '../core/answers/rules.ts';
import type { EndpointRedaction } from '../core/redaction/model.ts';
import type { Drizzle } from '../db/database.ts';
import { type AnswersStore, createAnswersStore, type RulesRow } from '../features/answers/store.ts';
import type { GuardColumns } from '../features/endpoints/guards.ts';
import type { RegisteredEndpoint } from '../features/endpoints/registry.ts';
import { createPrepareRedaction } from '../features/redaction/prepare.ts';
import { createRedactionStore, type RedactionRow } from '../features/redaction/store.ts';
import type { Logger } from '../log.ts';

type GuardOf = (guarded: { id: string } & GuardColumns) => EndpointGuard | undefined;

type PolicyOptions = {
  db: Drizzle;
  log: Pick<Logger, 'error'>;
  guardOf: GuardOf;
  redactionKeyOf: (teamId: string) => Uint8Array;
};

export function createPolicies({ db, log, guardOf, redactionKeyOf }: PolicyOptions) {
  const store: AnswersStore = createAnswersStore(db);
  const redactions = createRedactionStore(db);
  const prepareRedaction = createPrepareRedaction({
    keyOf: redactionKeyOf,
    onUnreadable: (endpoint, cause) =>
      log.error('the redaction rules of an endpoint cannot be read; its deliveries are refused', { endpoint, cause }),
  });
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
  const withPolicy = (
    endpoint: RegisteredEndpoint,
    rules: ActiveRules | undefined,
    redaction: EndpointRedaction | undefined,
  ): RegisteredEndpoint => {
    const guard = guardOfEndpoint(endpoint);
    return rules || guard || redaction ? { ...endpoint, policy: { rules, guard, redaction } } : endpoint;
  };

  const redactionOf = async (
    endpoint: { seq: number; teamId: string },
    row: RedactionRow | undefined,
  ): Promise<EndpointRedaction | undefined> => row && (await prepareRedaction([row], [endpoint]))(endpoint.seq);

  return {
    async addTo(endpoints: RegisteredEndpoint[]): Promise<RegisteredEndpoint[]> {
      const [rows, redactionRows] = await Promise.all([store.all(), redactions.all()]);
      const before = prepared;
      prepared = new Map();
      const active = new Map<number, ActiveRules>();
      for (const row of rows) {
        const known = before.get(row.version);
        if (known) prepared.set(row.version, known);
        const rules = rulesOf(row);
        if (rules) active.set(row.endpoint, rules);
      }
      const redactionOf = await prepareRedaction(redactionRows, endpoints);
      return endpoints.map(one => withPolicy(one, active.get(one.seq), redactionOf(one.seq)));
    },
    async addToOne(endpoint: RegisteredEndpoint): Promise<RegisteredEndpoint> {
      const [rules, row] = await Promise.all([store.ofEndpoint(endpoint.seq), redactions.ofEndpoint(endpoint.seq)]);
      return withPolicy(endpoint, rulesOf(rules), await redactionOf(endpoint, row));
    },
    /** @param row undefined: the endpoint has no rules */
    redactionOf,
  };
}
