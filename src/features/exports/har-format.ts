/*
 * The HAR 1.2 export (http://www.softwareishard.com/blog/har-12-spec). Values without a field in HAR are in custom fields, whose
 * names begin with an underscore, as HAR allows; the fields of `postData` have the names of the fields of a response's content.
 */
import { STATUS_CODES } from 'node:http';
import { type StoredOutcome, shownOutcome } from '../../core/answers/model.ts';
import type { DeliveryResponse } from '../../core/delivery-response.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { bodyLiteral, encodingOf, type Piece } from '../../core/json/output.ts';
import { queryPairs } from '../../core/network/request-target.ts';
import type { ExportedEvent, FileFormat, FileSubject } from './file-format.ts';

/** Unknown, but not 0: browsers show a request that took no time as still running. */
const timeMs = 0.0004;
const timings = { send: 0, wait: timeMs, receive: 0 };

export const harFile: FileFormat = {
  head: ({ version }) =>
    `{"log":{"version":"1.2","creator":${JSON.stringify({ name: 'Hooktape', version })},"pages":[],"entries":[\n`,

  *event(event: ExportedEvent, { endpoint, answer }) {
    const { id, row, path, query, headers, body } = event;
    const request = JSON.stringify({
      method: row.method,
      url: `${endpoint.url}${path}${query === null ? '' : `?${query}`}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headers.map(([name, value]) => ({ name, value })),
      queryString: queryPairs(query).map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: row.size,
    });
    yield `{"startedDateTime":${JSON.stringify(new Date(row.receivedAt))},"time":${timeMs},"request":${request.slice(0, -1)}`;
    if (body.length > 0) yield* postData(mimeTypeOf(headers), body);
    yield `},"response":${JSON.stringify(responseTo(event, answer))},"cache":{},"timings":${JSON.stringify(timings)}`;
    yield `,${JSON.stringify({ _resourceType: 'other', _id: id, _eventType: row.eventType, _platform: row.platform, _pin: row.pin, _tags: row.tags, ...answerFields(row.outcome), _redacted: row.redacted }).slice(1)}`;
  },

  separator: ',\n',
  tail: damaged => `\n]${damaged ? `,"_damaged":${JSON.stringify(damaged)}` : ''}}}\n`,
};

function* postData(mimeType: string, body: Uint8Array): Generator<Piece> {
  const encoding = encodingOf(body);
  yield `,"postData":{"mimeType":${JSON.stringify(mimeType)},"text":`;
  yield* bodyLiteral(body, encoding);
  yield encoding === 'base64' ? ',"_encoding":"base64","comment":"the text is the body in base64"}' : '}';
}

function answerFields(outcome: StoredOutcome) {
  const { answered, refused } = shownOutcome(outcome);
  return { _answered: answered, _refused: refused };
}

const mimeTypeOf = (headers: readonly HeaderPair[]): string =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

const responseHead = { httpVersion: 'HTTP/1.1', cookies: [], redirectURL: '', headersSize: -1 };

/** HAR requires a response. Browsers write status 0 without a response. */
const unknownResponse = (status: number, comment: string) => ({
  ...responseHead,
  status,
  statusText: STATUS_CODES[status] ?? '',
  headers: [],
  content: { size: 0, mimeType: '' },
  bodySize: -1,
  comment,
});

/** Default answers and responses to handshakes are known completely; of other responses, only the status is stored. */
function responseTo(event: ExportedEvent, answer: FileSubject['answer']) {
  const { answered, refused } = event.row.outcome ?? {};
  if (answered && (answered.rule !== null || refused !== null || event.isImported)) {
    const what = answered.rule === null ? 'the answer' : `the answer of the rule ${JSON.stringify(answered.rule)}`;
    return unknownResponse(answered.status ?? 0, `only the status of ${what} is stored`);
  }
  return event.isImported
    ? unknownResponse(0, 'imported: the answer is not known')
    : response(answer(event), event.row.method);
}

function response({ status, headers, body }: DeliveryResponse, method: string) {
  const text = method === 'HEAD' ? '' : body;
  const size = Buffer.byteLength(text);
  return {
    ...responseHead,
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    content: { size, mimeType: headers['content-type'] ?? '', ...(size > 0 && { text }) },
    bodySize: size,
  };
}
