/*
 * Writes the audit log for API requests, in one place: after the handler and before the response is sent. Each route declares its
 * entry. The facts about a result come from the value that the handler returned; the response itself is not read.
 */
import { ElysiaCustomStatusResponse } from 'elysia';
import type { AuditAbout, AuditTarget } from '../core/access/audit-actions.ts';
import type { Fetcher } from './fetch-adapter.ts';
import { givenFields } from './input.ts';
import type { AuditRule, HandlerResult } from './operation.ts';
import type { MatchRoute, RouteMatch } from './route-table.ts';

type Options<Actor> = {
  match: MatchRoute;
  /** Who made the request. Some operations need no sign-in but sign a person in: then the response identifies the person. */
  actorOf: (request: Request, response: Response) => Promise<(Actor & { accountId: string }) | undefined>;
  endpointOfEvent: (id: string) => Promise<string | undefined>;
  record: (actor: Actor, action: string, target: AuditTarget, about: AuditAbout) => Promise<void>;
};

export function createRequestAudit<Actor>({ match, actorOf, endpointOfEvent, record }: Options<Actor>) {
  /** The values that handlers returned, by request; a promise if Elysia does not wait for the handler. */
  const returned = new WeakMap<Request, unknown>();

  return {
    /** Elysia's `onAfterHandle`. */
    keepResult(request: Request, value: unknown): void {
      if (match(request)?.route?.operation?.audit) returned.set(request, value);
    },

    /** Wraps the app. */
    wrap(fetch: Fetcher): Fetcher {
      return async request => {
        const found = match(request);
        const audit = found?.route?.operation?.audit;
        if (!found || !audit) return fetch(request);
        const rule: AuditRule = typeof audit === 'string' ? { action: audit } : audit;
        const ofDeleted = rule.deletesEvent === true ? await endpointOfEvent(found.params['id'] ?? '') : undefined;
        const response = await fetch(request);
        if (!(response.ok || rule.alsoAfter?.includes(response.status))) return response;
        const actor = await actorOf(request, response);
        // An error response has no result: the handler threw.
        const result = response.ok ? resultOf(await returned.get(request)) : {};
        const action = typeof rule.action === 'string' ? rule.action : rule.action(result);
        if (actor && action !== null) {
          const [noun = ''] = action.split('.');
          const id = targetId(rule, action, found.params, result) ?? actor.accountId;
          const fields = request.method === 'PATCH' ? givenFields(request) : undefined;
          const details = rule.details?.(result) ?? { ...(fields && { fields }), ...nameIn(result, noun) };
          await record(
            actor,
            action,
            { type: rule.type ?? noun, id },
            { endpointId: ofDeleted ?? endpointOf(found, result), details },
          );
        }
        return response;
      };
    },
  };
}

/** An operation names its endpoint in its path or in its result. */
function endpointOf({ route, params }: RouteMatch, { endpointId }: HandlerResult): string | undefined {
  if (route?.path.startsWith('/api/endpoints/:id')) return params['id'];
  return typeof endpointId === 'string' ? endpointId : undefined;
}

/** The name of a target is its name, the address of a person, or the platform of a secret. */
function nameIn({ name, email, platform }: HandlerResult, noun: string): { name?: string } {
  const named = [name, email, noun === 'secret' ? platform : undefined].find(text => typeof text === 'string');
  return typeof named === 'string' ? { name: named } : {};
}

/** Without the status that a handler may give (`status(201, …)`); `{}` for a result without properties. */
function resultOf(returned: unknown): HandlerResult {
  const value = returned instanceof ElysiaCustomStatusResponse ? returned.response : returned;
  return typeof value === 'object' && value !== null ? (value as HandlerResult) : {};
}

/**
 * The id of the created object, or else the last parameter of the path.
 * @returns undefined for the account of the person: the path has no parameter, or only a token, which is a secret
 */
function targetId(
  rule: AuditRule,
  action: string,
  params: Record<string, string>,
  { id }: HandlerResult,
): string | undefined {
  if (action.endsWith('.created') && typeof id === 'string') return id;
  const name = rule.param ?? Object.keys(params).at(-1);
  return name === undefined || name === 'token' ? undefined : params[name];
}
