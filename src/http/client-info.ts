/* Where a request comes from, for what is remembered of a sign-in. */
import { requestContext } from './fetch-adapter.ts';
import type { Gate } from './gate.ts';

/** @returns `sessionId`: of the session cookie that came along and still holds */
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
