/*
 * `/mcp`. Origin first (the Host was checked for every page already), then the bearer credential; a cookie never counts
 * here, so that no web page can use somebody's session through it.
 */
import { Elysia } from 'elysia';
import { hostOf, isLoopbackHost } from '../../core/hosts.ts';
import { decodeUtf8 } from '../../core/text.ts';
import { errorBody } from '../../http/errors.ts';
import { bodyOf, requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import type { McpHandler } from './server.ts';
import type { Agent } from './service.ts';

const exposed = 'WWW-Authenticate, MCP-Protocol-Version, Retry-After';
const allowedHeaders = 'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

/** Pages of this installation, and on a developer's own machine pages of that machine. */
function isAllowedOrigin(baseUrl: string, origin: string): boolean {
  const base = new URL(baseUrl);
  const given = URL.parse(origin);
  if (!given) return false;
  if (given.origin === base.origin) return true;
  const isLocal = (url: URL): boolean => isLoopbackHost(hostOf(url.host) ?? '');
  return isLocal(base) && isLocal(given);
}

/** 0 when it is no JSON: the protocol's own parser says so. */
function messagesIn(text: string): number {
  try {
    const messages: unknown = JSON.parse(text);
    return Array.isArray(messages) ? messages.length : 0;
  } catch {
    return 0;
  }
}

export function mcpRoutes({ gate, mcp, config }: { gate: Gate; mcp: McpHandler; config: { baseUrl: string } }) {
  const agentOf = (request: Request): Agent => {
    const { accountId, teamId, plan } = gate.principal(request);
    const recheck = async () => (await gate.recheck(request))?.accountId === accountId;
    return { accountId, teamId, plan, recheck };
  };
  /** A batch (JSON-RPC, the revision of March 2025) is as many requests as it has messages, and each counts. */
  const admitBatch = async (request: Request, text: string): Promise<Response | undefined> => {
    if (!/^\s*\[/.test(text)) return undefined;
    for (let more = messagesIn(text) - 1; more > 0; more--) {
      const refused = await gate.admitBearer(request);
      if (refused) return refused;
    }
    return undefined;
  };
  const serve = async (request: Request): Promise<Response> => {
    const body = await bodyOf(request);
    const text = decodeUtf8(body);
    if (text === undefined) return errorBody(400, 'the body is not valid UTF-8');
    const refused = await admitBatch(request, text);
    if (refused) return refused;
    // A call may wait for long, in one of a few places. Most do not.
    requestContext(request).endWithSender(1000);
    return mcp.fetch(request, body, agentOf(request));
  };
  return new Elysia().all(
    '/mcp',
    async ({ request }) => {
      const origin = request.headers.get('origin');
      if (origin !== null && !isAllowedOrigin(config.baseUrl, origin))
        return errorBody(403, 'the request comes from another site');
      const cors: Record<string, string> =
        origin === null
          ? {}
          : { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed, vary: 'origin' };
      if (request.method === 'OPTIONS' && origin !== null)
        return new Response(null, {
          status: 204,
          headers: { ...cors, 'access-control-allow-methods': 'POST', 'access-control-allow-headers': allowedHeaders },
        });
      const answer = (await gate.admitBearer(request)) ?? (await serve(request));
      for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
      return answer;
    },
    { parse: 'none', detail: { hide: true } },
  );
}
