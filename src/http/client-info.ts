/* The client of a request, as it is recorded with a session. */
import { requestContext } from './fetch-adapter.ts';
import type { Gate } from './gate.ts';

/** @returns `sessionId`: the current session, when the request has a valid session cookie */
export function clientInfo(
  gate: Pick<Gate, 'visitor'>,
  request: Request,
): { userAgent: string; sourceIp: string; sessionId: string | undefined } {
  const credential = gate.visitor(request)?.credential;
  return {
    userAgent: request.headers.get('user-agent') ?? '',
    sourceIp: requestContext(request).clientAddress,
    sessionId: credential?.kind === 'session' ? credential.id : undefined,
  };
}
