/*
 * `/mcp`. Checks the Origin, then the bearer credential. Cookies do not count, so that no web page can use the session of the
 * browser that it runs in.
 */
import { Elysia } from 'elysia';
import { invalid } from '../../core/errors.ts';
import { hostOf, isLoopbackHost } from '../../core/network/hosts.ts';
import { decodeUtf8 } from '../../core/text.ts';
import { appErrorResponse, errorBody } from '../../http/errors.ts';
import { bodyOf, requestContext } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import type { McpHandler, ToolAccess } from './server.ts';

const exposed = 'WWW-Authenticate, MCP-Protocol-Version, Retry-After';
const allowedHeaders = 'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

/** Pages of this installation; with a loopback base URL also other pages of that machine. */
function isAllowedOrigin(baseUrl: string, origin: string): boolean {
  const base = new URL(baseUrl);
  const given = URL.parse(origin);
  if (!given) return false;
  if (given.origin === base.origin) return true;
  const isLocal = (url: URL): boolean => isLoopbackHost(hostOf(url.host) ?? '');
  return isLocal(base) && isLocal(given);
}

const streamMethod = 'events/stream';

/** Whether the body is a single request for a stream. */
function isStreamRequest(text: string): boolean {
  if (!/"events\\?\/stream"/.test(text)) return false;
  try {
    return (JSON.parse(text) as { method?: unknown } | null)?.method === streamMethod;
  } catch {
    return false;
  }
}

/** 0 for invalid JSON, which the protocol's own parser refuses. */
function messagesIn(text: string): number {
  try {
    const messages: unknown = JSON.parse(text);
    return Array.isArray(messages) ? messages.length : 0;
  } catch {
    return 0;
  }
}

export function mcpRoutes({ gate, mcp, config }: { gate: Gate; mcp: McpHandler; config: { baseUrl: string } }) {
  const accessOf = (request: Request): Omit<ToolAccess, 'isStream'> => ({
    principal: gate.principal(request),
    recheck: () => gate.recheck(request),
  });
  /** Every message of a JSON-RPC batch (revision of March 2025) counts against the rate limit. */
  const admitBatch = async (request: Request, text: string): Promise<Response | undefined> => {
    if (!/^\s*\[/.test(text)) return undefined;
    for (let more = messagesIn(text) - 1; more > 0; more--) {
      const refused = await gate.admitBearer(request);
      if (refused) return refused;
    }
    return undefined;
  };
  /** @param isAdmittedAsStream its header says that it is one, so it did not count as a request */
  const serve = async (request: Request, isAdmittedAsStream: boolean): Promise<Response> => {
    const body = await bodyOf(request);
    const text = decodeUtf8(body);
    if (text === undefined) return appErrorResponse(invalid('the body is not valid UTF-8'));
    const isStream = isStreamRequest(text);
    const isWrong = isAdmittedAsStream && !isStream;
    const refused = (isWrong ? await gate.admitBearer(request) : undefined) ?? (await admitBatch(request, text));
    if (refused) return refused;
    // A call whose client has disconnected ends soon, because only a few calls can wait at once.
    requestContext(request).endWithSender(isStream ? 0 : 1000);
    return mcp.fetch(request, body, { ...accessOf(request), isStream });
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
      const isStream = request.headers.get('mcp-method') === streamMethod;
      const answer = (await gate.admitBearer(request, isStream)) ?? (await serve(request, isStream));
      for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
      return answer;
    },
    { parse: 'none', detail: { hide: true } },
  );
}
