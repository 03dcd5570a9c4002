/* Responses to requests that are not valid HTTP or do not arrive in time: `{ error }` as everywhere, and the connection ends. */
import { type ServerResponse, STATUS_CODES } from 'node:http';

const messages = {
  400: 'malformed request',
  408: 'the request did not arrive in time',
  413: 'the chunk extensions are too large',
  417: 'nothing but 100-continue can be expected here',
  431: 'the header fields are too large',
  503: 'too many connections, try again',
};
export type ProtocolError = keyof typeof messages;

/** The statuses that any request may be refused with before it reaches a handler, for the OpenAPI document. */
export const protocolRefusals: readonly number[] = Object.keys(messages).map(Number);

const errorBodyOf = (status: ProtocolError): string => JSON.stringify({ error: messages[status] });
const fields = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };

/** Answers a request that could be parsed. */
export function sendProtocolError(res: ServerResponse, status: ProtocolError): void {
  if (status === 503) res.setHeader('retry-after', '1');
  res.writeHead(status, { connection: 'close', ...fields, 'content-length': errorBodyOf(status).length });
  res.end(errorBodyOf(status));
}

/** The complete response, for a socket without a parsed request. */
export function protocolErrorMessage(status: ProtocolError): string {
  const body = errorBodyOf(status);
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n`;
  if (status === 503) text += 'Retry-After: 1\r\n';
  for (const [name, value] of Object.entries(fields)) text += `${name}: ${value}\r\n`;
  return `${text}content-length: ${body.length}\r\n\r\n${body}`;
}

/** @param code of the error that node:http reports with `clientError` */
export function protocolErrorOf(code: string | undefined): ProtocolError {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return 400;
}
