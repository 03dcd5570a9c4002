/*
 * Writes the audit log for API requests, in one place: after the handler and before the response is sent. Each route declares its
 * entry.
 */
import type { AuditTarget } from '../core/access/audit-actions.ts';
import type { Fetcher } from './fetch-adapter.ts';
import type { AuditRule } from './operation.ts';
import type { MatchRoute } from './route-table.ts';

type Options<Actor> = {
  match: MatchRoute;
  /** Who made the request. Some operations need no sign-in, but sign someone in: then the response says whom. */
  actorOf: (request: Request, response: Response) => Promise<(Actor & { accountId: string }) | undefined>;
  record: (actor: Actor, action: string, target: AuditTarget) => Promise<void>;
};

/** Wraps the app. */
export function auditRequests<Actor>(fetch: Fetcher, { match, actorOf, record }: Options<Actor>): Fetcher {
  return async request => {
    const response = await fetch(request);
    const found = match(request);
    const audit = found?.route?.operation?.audit;
    if (!found || !audit) return response;
    const rule: AuditRule = typeof audit === 'string' ? { action: audit } : audit;
    if (!(response.ok || rule.alsoAfter?.includes(response.status))) return response;
    const actor = await actorOf(request, response);
    const body = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Record<string, unknown>;
    const action = typeof rule.action === 'string' ? rule.action : rule.action(body);
    if (actor && action !== null) {
      const [noun = ''] = action.split('.');
      const id = targetId(rule, action, found.params, body) ?? actor.accountId;
      await record(actor, action, { type: rule.type ?? noun, id });
    }
    return response;
  };
}

/**
 * What was created, else what the path names last.
 * @returns undefined for the account of the person: the path names nothing, or only by a token, which is a secret
 */
function targetId(
  rule: AuditRule,
  action: string,
  params: Record<string, string>,
  body: Record<string, unknown>,
): string | undefined {
  const { id } = body;
  if (action.endsWith('.created') && typeof id === 'string') return id;
  const name = rule.param ?? Object.keys(params).at(-1);
  return name === undefined || name === 'token' ? undefined : params[name];
}
