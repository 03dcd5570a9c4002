/* The client of a request, as it is recorded with a session. */
import type { Principal } from '../core/access/principal.ts';
import { requestContext } from './fetch-adapter.ts';

/** @returns `sessionId`: the current session, when the request has a valid session cookie */
export function clientInfo(
  request: Request,
  principal: Pick<Principal, 'credential'> | undefined,
): { userAgent: string; sourceIp: string; sessionId: string | undefined } {
  const credential = principal?.credential;
  return {
    userAgent: request.headers.get('user-agent') ?? '',
    sourceIp: requestContext(request).clientAddress,
    sessionId: credential?.kind === 'session' ? credential.id : undefined,
  };
}
