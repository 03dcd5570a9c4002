/* Where a request comes from, as it is stored with a session. */
import type { Principal } from '../core/principal.ts';
import { requestContext } from './fetch-adapter.ts';

/** @returns `sessionId`: of the valid session cookie that came with the request */
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
