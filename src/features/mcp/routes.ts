/*
 * `/mcp`. Origin first (the Host was checked for every page already), then the bearer credential; a cookie never counts
 * here, so that no web page can use somebody's session through it.
 */
import { Elysia } from 'elysia';
import { hostOf, isLoopbackHost } from '../../core/hosts.ts';
import { errorBody } from '../../http/errors.ts';
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

export function mcpRoutes({ gate, mcp, config }: { gate: Gate; mcp: McpHandler; config: { baseUrl: string } }) {
  const agentOf = (request: Request): Agent => {
    const { accountId, teamId, plan } = gate.principal(request);
    const recheck = async () => (await gate.recheck(request))?.accountId === accountId;
    return { accountId, teamId, plan, recheck };
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
      const answer = (await gate.admitBearer(request)) ?? (await mcp.fetch(request, agentOf(request)));
      for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
      return answer;
    },
    { parse: 'none', detail: { hide: true } },
  );
}
