/* What is no HTTP as it should be, or does not come in time: answered like any other failure, with `{ error }`, and the connection ends. */
import { type ServerResponse, STATUS_CODES } from 'node:http';

const reasons = {
  400: 'malformed request',
  408: 'the request did not arrive in time',
  413: 'the chunk extensions are too large',
  417: 'nothing but 100-continue can be expected here',
  431: 'the header fields are too large',
  503: 'too many connections, try again',
};
export type ProtocolFailure = keyof typeof reasons;

/** What any request may be refused with before anything looks at it, for the interface description. */
export const protocolRefusals: readonly number[] = Object.keys(reasons).map(Number);

const bodyOf = (status: ProtocolFailure): string => JSON.stringify({ error: reasons[status] });
const fields = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };

/** In answer to a request that could be read. */
export function refuse(res: ServerResponse, status: ProtocolFailure): void {
  if (status === 503) res.setHeader('retry-after', '1');
  res.writeHead(status, { connection: 'close', ...fields, 'content-length': bodyOf(status).length });
  res.end(bodyOf(status));
}

/** The whole answer, where there is no request to answer. */
export function failureMessage(status: ProtocolFailure): string {
  const body = bodyOf(status);
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n`;
  if (status === 503) text += 'Retry-After: 1\r\n';
  for (const [name, value] of Object.entries(fields)) text += `${name}: ${value}\r\n`;
  return `${text}content-length: ${body.length}\r\n\r\n${body}`;
}

/** @param code of the parser's error */
export function failureOf(code: string | undefined): ProtocolFailure {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return 400;
}
