/*
 * Writes the audit log for API requests, in one place: after the handler and before the answer is sent. Which operations leave a line is
 * decided by core/audit-actions.ts.
 */
import { type AuditRule, type AuditTarget, auditRules } from '../core/audit-actions.ts';
import type { Fetcher } from './fetch-adapter.ts';

type Options<Actor> = {
  /** Who made the request. Some operations need no sign-in, but sign someone in: then the answer says whom. */
  actorOf: (request: Request, answer: Response) => Promise<(Actor & { accountId: string }) | undefined>;
  record: (actor: Actor, action: string, target: AuditTarget) => Promise<void>;
};

type Rule = AuditRule & { pattern: RegExp; names: readonly string[] };

function compile(): Map<string, Rule[]> {
  const byMethod = new Map<string, Rule[]>();
  for (const [operation, rule] of Object.entries(auditRules)) {
    if (rule === null) continue;
    const [method = '', path = ''] = operation.split(' ');
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`);
    byMethod.set(method, [...(byMethod.get(method) ?? []), { ...rule, pattern, names }]);
  }
  return byMethod;
}

/** Wraps the app. */
export function auditRequests<Actor>(fetch: Fetcher, { actorOf, record }: Options<Actor>): Fetcher {
  const rules = compile();
  return async request => {
    const answer = await fetch(request);
    const path = new URL(request.url, 'http://internal').pathname;
    const rule = rules.get(request.method)?.find(({ pattern }) => pattern.test(path));
    if (!rule || !(answer.ok || rule.alsoAfter?.includes(answer.status))) return answer;
    const actor = await actorOf(request, answer);
    const values = rule.pattern.exec(path)?.slice(1) ?? [];
    const params = Object.fromEntries(rule.names.map((name, i) => [name, decode(values[i] ?? '')]));
    const body = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as Record<string, unknown>;
    const action = typeof rule.action === 'string' ? rule.action : rule.action({ params, body });
    if (actor && action !== null)
      await record(actor, action, { type: rule.type, id: rule.id({ params, body }) ?? actor.accountId });
    return answer;
  };
}

/** A parameter that reached a handler is decoded; others are no ids of anything. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
