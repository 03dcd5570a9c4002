/* The reason phrases of RFC 9110 and of statuses that webhook handlers answer with. */

import { formatDuration } from '../../kit/format/time.ts';

const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  418: 'I’m a teapot',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** `404 Not Found`; `No response` without one. */
export const statusText = (status: number | null): string =>
  status === null ? 'No response' : [status, phrases[status]].filter(Boolean).join(' ');

type Result = { status: number | null; durationMs: number };

/** `404 Not Found · 4 ms`. */
export const resultLine = ({ status, durationMs }: Result): string =>
  `${statusText(status)} · ${formatDuration(durationMs)}`;

/** Like `resultLine`, beside a badge with the number: `Not Found · 4 ms`. */
export const phraseLine = ({ status, durationMs }: Result): string =>
  [status === null ? undefined : phrases[status], formatDuration(durationMs)].filter(Boolean).join(' · ');
